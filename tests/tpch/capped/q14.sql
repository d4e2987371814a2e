select 100.00 * sum(clamp(promo, 0, 100000)) / sum(clamp(revenue, 0, 200000)) as promo_revenue
from (
    select
        o_custkey,
        sum(
            case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) else 0 end
        ) as promo,
        sum(l_extendedprice * (1 - l_discount)) as revenue
    from lineitem, part, orders
    where
        l_partkey = p_partkey
        and l_orderkey = o_orderkey
        and l_shipdate >= date '1995-09-01'
        and l_shipdate < date '1995-09-01' + interval '1' month
    group by o_custkey
) as customers
