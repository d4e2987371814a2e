select sum(clamp(price, 0, 10000)) / 7.0 as avg_yearly
from (
    select o_custkey, sum(l_extendedprice) as price
    from lineitem, part, orders
    where
        p_partkey = l_partkey
        and l_orderkey = o_orderkey
        and p_brand = 'Brand#23'
        and p_container = 'MED BOX'
        and l_quantity < $first
    group by o_custkey
) as customers
