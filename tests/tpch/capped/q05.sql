select n_name, sum(clamp(revenue, 0, 150000)) as revenue
from nation, region, (
    select
        c_custkey,
        min(c_nationkey) as nationkey,
        sum(l_extendedprice * (1 - l_discount)) as revenue
    from customer, orders, lineitem, supplier
    where
        c_custkey = o_custkey
        and l_orderkey = o_orderkey
        and l_suppkey = s_suppkey
        and c_nationkey = s_nationkey
        and o_orderdate >= date '1994-01-01'
        and o_orderdate < date '1994-01-01' + interval '1' year
    group by c_custkey
) as customers
where nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'ASIA'
group by n_name
order by revenue desc
