select
    sum(clamp(many, 0, 1)) as orders,
    sum(clamp(price, 0, 600000)) as o_totalprice,
    sum(clamp(pieces, 0, 350)) as quantity
from (
    select o_custkey, count(*) as many, sum(o_totalprice) as price, sum(quantity) as pieces
    from orders, (
        select l_orderkey, sum(l_quantity) as quantity
        from lineitem
        group by l_orderkey
        having sum(l_quantity) > 300
    ) as large
    where o_orderkey = l_orderkey
    group by o_custkey
) as customers
