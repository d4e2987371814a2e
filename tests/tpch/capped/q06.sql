select sum(clamp(revenue, 0, 10000)) as revenue
from (
    select o_custkey, sum(l_extendedprice * l_discount) as revenue
    from lineitem, orders
    where
        l_orderkey = o_orderkey
        and l_shipdate >= date '1994-01-01'
        and l_shipdate < date '1994-01-01' + interval '1' year
        and l_discount between 0.06 - 0.01 and 0.06 + 0.01
        and l_quantity < 24
    group by o_custkey
) as customers
