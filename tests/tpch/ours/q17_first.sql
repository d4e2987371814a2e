select 0.2 * avg(l_quantity) as threshold
from lineitem, part
where p_partkey = l_partkey and p_brand = 'Brand#23' and p_container = 'MED BOX'
