select o_orderpriority, sum(clamp(orders, 0, 2)) as order_count
from (
    select o_custkey, o_orderpriority, count(*) as orders
    from orders
    where
        o_orderdate >= date '1993-07-01'
        and o_orderdate < date '1993-07-01' + interval '3' month
        and exists (
            select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate
        )
    group by o_custkey, o_orderpriority
) as customers
group by o_orderpriority
order by o_orderpriority
