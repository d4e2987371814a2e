select count(*) as orders, sum(o_totalprice) as o_totalprice, sum(quantity) as quantity
from customer, orders, (
    select l_orderkey, sum(l_quantity) as quantity
    from lineitem
    group by l_orderkey
    having sum(l_quantity) > 300
) as large
where c_custkey = o_custkey and o_orderkey = l_orderkey
