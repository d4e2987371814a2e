select s_suppkey, sum(l_extendedprice * (1 - l_discount)) as total_revenue
from lineitem, supplier
where
    s_suppkey = l_suppkey
    and l_shipdate >= date '1996-01-01'
    and l_shipdate < date '1996-01-01' + interval '3' month
group by s_suppkey
order by total_revenue desc
limit 1
