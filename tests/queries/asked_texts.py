"""Questions about the hospital: those that keep ownership, and those that break it."""

ACCEPTED = """
select * from visits
select * from visits v join wards w on v.ward = w.ward
select * from visits join wards using (ward)
select * from visits v left join wards w using (ward) where w.floor is null
select * from visits v, zips z where v.cost = z.zip
select * from visits v cross join zips
select * from wards w join visits v on v.ward = w.ward
select * from visits v join bills b on v.person = b.payer
select * from visits v left join bills b on v.person = b.payer and b.amount > 1
select * from visits v left join bills b on v.person = b.payer where b.amount is null
select * from visits v join visits u on v.person = u.person
select * from visits join bills on person = payer join customer on payer = custkey
select * from lines join orders on of_order = orderkey
select * from lines join orders on of_order = orderkey join customer on buyer = custkey
select * from customer, orders, lines where of_order = orderkey and buyer = custkey
select * from lines l join lines m on l.of_order = m.of_order
select * from orders o join visits v on o.buyer = v.person
select * from (select person, count(*) as n, sum(cost) as s from visits group by person) as t
select * from (select person, ward, avg(cost) as a from visits group by all) as t
select * from (select distinct person, ward from visits) as t
select * from (select of_order, sum(quantity) as q from lines group by 1 having sum(quantity) > 2)
select * from (select person, cost from visits union all select payer, amount from bills) as u
select * from (select * from visits union all select * from visits) as u
select * from (select ward, person from visits union all (select ward, payer from bills)) as u
select * from visits v where exists (select 1 from bills b where b.payer = v.person)
select * from visits v where not exists (select 1 from bills b where b.payer = v.person)
select * from visits where person in (select payer from bills where amount > 1)
select * from visits where person not in (select payer from bills where amount > 1)
select * from visits v where cost not in (select amount from bills b where b.payer = v.person)
select * from visits where ward in (select ward from wards where floor > 1)
select * from orders where orderkey in (select of_order from lines where quantity > 1)
select * from orders where orderkey in
  (select of_order from lines group by of_order having sum(quantity) > 2)
select * from visits where person in (select payer from bills group by payer having count(*) > 1)
select * from visits where person in (select distinct payer from bills)
select * from visits where cost in (select max(floor) from wards group by ward)
select * from orders, lines where (of_order = orderkey and quantity > 1 and total > 1)
  or (quantity < 3 and of_order = orderkey)
select * from visits v join bills b on v.person = b.payer and exists
  (select 1 from orders o where o.buyer = b.payer and o.total > v.cost)
with rich as (select person from visits where cost > 2)
  select * from rich join bills on person = payer
with n as (select person, count(*) c from visits group by person), m as (select * from n)
  select * from m
select * from visits v, bills b where v.person = b.payer and 1 = 0
select * from visits v, bills b where (v.cost > 100 and v.person = b.payer) and b.amount > 0
select * from visits v join bills b on v.person = b.payer and v.cost > 100
select * from orders o join (select of_order, count(*) as n from lines group by of_order) as l
  on l.of_order = o.orderkey
select * from (select of_order, count(*) as n from lines group by of_order) as k
  left join (select of_order, max(quantity) as m from lines group by of_order) as l
  on k.of_order = l.of_order
select * from visits v join (select person, ward, count(*) as n from visits group by all) as w
  on w.person = v.person and w.ward = v.ward
select * from visits v join (select floor, count(*) as n from wards group by floor) as w
  on w.floor = v.cost
select * from visits v cross join (select max(floor) as top from wards) as w
select * from visits v join (select * from (select distinct floor from wards) where floor > 0) as w
  on w.floor = v.cost
select * from survey s join (select ward, max(floor) as top from wards group by ward) as w
  on s.ward = w.ward
select * from visits where cost > (select max(floor) from wards)
select * from visits where cost < (select avg(floor) from wards) * 2
select * from visits where ward = (select ward from wards where floor = 2)
select * from visits where cost > (select floor from wards where floor > 9)
select * from visits v join bills b on v.person = b.payer and v.cost > (select min(zip) from zips)
with high as (select max(floor) as top from wards)
  select * from visits where cost > (select top from high)
select * from survey
select * from survey s join wards w on s.ward = w.ward
select * from (select income, ward from survey where income > 1) as s
select * from survey where ward in (select ward from wards)
"""

REFUSED = """
select * from visits where cost > (select max(cost) from visits)
select * from visits where cost > (select max(cost) from bills, wards)
select * from visits where cost > (select max(floor) from wards where floor in
  (select cost from visits))
with high as (select max(cost) as top from visits)
  select * from visits where cost > (select top from high)
select * from visits where cost > (with wards as (select * from visits) select max(cost) from wards)
select * from visits where cost > (select floor from wards)
select * from visits where cost > (select max(floor), min(floor) from wards)
select * from visits v where cost > (select max(floor) from wards w where w.ward = v.ward)
select * from visits v join bills b on v.ward = b.ward
select * from visits v join bills b on true
select * from visits v, bills b
select * from visits v left join bills b on v.cost = b.amount
select * from visits v join bills b on v.person + 1 = b.payer
select * from visits v join bills b on v.person // 2 = b.payer // 2
select * from visits v join bills b on v.person <= b.payer and v.person >= b.payer
select * from visits v join bills b on v.person is not distinct from b.payer
select * from visits v join bills b on v.person = b.payer or v.ward = b.ward
select * from lines join customer on of_order = custkey
select * from lines l join orders o on l.quantity = o.orderkey
select * from wards w left join visits v on v.ward = w.ward
select * from zips left join survey on zip = income
select * from visits right join wards on visits.ward = wards.ward
select * from visits full join bills on person = payer
select * from (select ward, count(*) as n from visits group by ward) as t
select * from (select count(*) as n from visits) as t
select * from (select distinct ward from visits) as t
select * from (select person // 2 as p, count(*) as n from visits group by 1) as t
select * from (select count(*) as n from survey) as t
select * from (select person, cost from visits union select payer, amount from bills) as u
select * from (select person from visits union all select level from zips) as u
select * from (select income from survey union all select income from survey) as u
select * from (select * from visits order by cost) as t
select * from (select * from visits limit 1) as t
select * from visits v where exists (select 1 from bills b where b.ward = v.ward)
select * from visits v where exists (select 1 from bills b)
select * from visits v where cost in (select amount from bills)
select * from visits v where cost > (select avg(cost) from visits)
select * from visits where cost in (select max(amount) from bills)
select * from visits where cost in (select max(amount) from bills group by payer)
select * from visits v join bills b on v.person = b.payer and v.cost > 1 or v.cost > 2
select * from wards w where exists (select 1 from visits v where v.ward = w.ward)
select * from survey s where exists (select 1 from visits v where v.person = s.income)
select * from survey s join visits v on s.income = v.person
select * from survey s join zips z on s.income = z.zip
select * from visits v where exists (select 1 from survey s where s.income = v.person)
select * from visits v where exists (select 1 from wards w where exists
  (select 1 from bills b where b.payer = v.person))
select p, count(*) from (select b.payer as p from visits v left join bills b
  on v.person = b.payer group by b.payer) as t group by p
"""


def listed(texts: str) -> list[str]:
    return texts.strip().replace("\n  ", " ").split("\n")
