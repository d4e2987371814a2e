select sum(clamp(revenue, 0, 300000)) as revenue, n_name
from nation, (
    select
        c_custkey,
        min(c_nationkey) as nationkey,
        sum(l_extendedprice * (1 - l_discount)) as revenue
    from customer, orders, lineitem
    where
        c_custkey = o_custkey
        and l_orderkey = o_orderkey
        and o_orderdate >= date '1993-10-01'
        and o_orderdate < date '1993-10-01' + interval '3' month
        and l_returnflag = 'R'
    group by c_custkey
) as customers
where nationkey = n_nationkey
group by n_name
order by revenue desc
limit 20
