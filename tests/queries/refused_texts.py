"""Texts that no gate should let through, by what they try."""

STATEMENTS = """
drop table visits
insert into visits values (1)
update visits set cost = 0
delete from visits
truncate visits
create table t (x int)
create macro f(x) as x
alter table visits add x int
copy visits to 'x.csv'
copy (select * from visits) to 'x.csv'
export database 'x'
attach 'x.db'
install httpfs
load httpfs
pragma database_list
set memory_limit = '1GB'
reset memory_limit
call pragma_version()
explain select 1 from visits
explain analyze select 1 from visits
describe visits
summarize visits
show tables
use memory
begin
commit
checkpoint
vacuum
prepare q as select 1
execute q
deallocate q
comment on table visits is 'x'
merge into visits using bills on true when matched then delete
values (1)
table visits; table bills
pivot visits on ward using sum(cost)
unpivot visits on ward into name n value v
select 1 from visits; select 2 from visits
select 1 from visits; drop table visits
; select 1 from visits; drop table visits
with v as (delete from visits returning *) select * from v
select cost into stolen from visits
select cost from visits for update
"""

SOURCES = """
select * from read_csv('/etc/passwd')
select * from read_parquet('x')
select * from read_text('/etc/passwd')
select * from glob('*')
select * from duckdb_tables()
select * from duckdb_settings()
select * from pragma_table_info('visits')
select * from range(1000000000)
select * from generate_series(1, 10)
select * from unnest([1, 2])
select * from (values (1)) v(x)
select * from information_schema.tables
select * from main.visits
select * from memory.main.visits
select * from visits tablesample 10%
select cost from visits using sample 10
select * from visits at (version => 1)
select * from visits pivot (sum(cost) for ward in ('a'))
select * from visits, lateral (select 1)
select * from visits natural join bills
select * from visits asof join bills on visits.day >= bills.day
select * from visits positional join bills
select * from (visits join bills on true)
select * exclude (person) from visits
select * replace (1 as person) from visits
select columns('.*') from visits
with recursive r as (select 1 union all select 1 from r) select * from r
with r using key (x) as (select 1 as x) select * from r
with v as materialized (select * from visits) select * from v
select x from a intersect select x from b
select x from a except select x from b
"""

FUNCTIONS = """
select random() from visits
select uuid() from visits where gen_random_uuid() is null and random() > 0.5
select row_number() over (order by cost) from visits
select sum(cost) over () from visits
select rank() over (partition by ward) from visits
select lag(cost) over (order by day) from visits
select cost from visits qualify row_number() over () = 1
select first(cost) from visits
select last(cost order by day) from visits
select any_value(cost) from visits
select arg_max(person, cost) from visits
select list(cost) from visits
select array_agg(cost) from visits
select string_agg(ward, ',') from visits
select mode(cost) from visits
select approx_count_distinct(cost) from visits
select bool_or(flag) from visits
select corr(cost, age) from visits
select regexp_matches(name, '(a+)+b') from visits
select regexp_replace(name, 'a', 'b') from visits
select name ~ 'a' from visits
select name similar to 'a' from visits
select name glob 'a*' from visits
select list_transform([1], x -> x + 1) from visits
select [cost] from visits
select {'a': cost} from visits
select struct_pack(a := cost) from visits
select map {1: 2} from visits
select name[1:2] from visits
select json_extract(name, '$.a') from visits
select name -> 'a' from visits
select unnest([cost]) from visits
select cost & 1 from visits
select ~cost from visits
select exp(cost) from visits
select ln(cost) from visits
select current_date from visits
select current_user from visits
select md5(name) from visits
select replace(name, 'a', 'b') from visits
select reverse(name) from visits
select right(name, 2) from visits
select trim(both 'a' from name) from visits
select strftime(day, '%Y') from visits
select day at time zone 'UTC' from visits
select cost collate nocase from visits
select cost = any(select 1) from visits
select cost > all(select 1) from visits
select (cost, age) in (select 1, 2) from visits
select ward, count(*) from visits group by rollup (ward)
select ward, count(*) from visits group by cube (ward)
select ward, count(*) from visits group by grouping sets ((ward), ())
select distinct on (ward) cost from visits
select cost from visits offset 3
select cost from visits limit 10%
select ? from visits
select $1 from visits
select :name from visits
select e'\\n' from visits
select $$a$$ from visits
select 1 from visits where cost is json
select count(*) within group (order by cost) over () from visits
"""

SHAPES = [
    "",
    " \n ",
    "select",
    "select from visits",
    "count(*)",
    "select 'unfinished from visits",
    'select "unfinished from visits',
    "select /* unfinished from visits",
    "select 1 from visits where",
    "select \ud800 from visits",
    "select '\ud800' from visits",
    'select x as "a\nb" from visits',
    'select x as "a\x00b" from visits',
    'select x as "\u202egnirts" from visits',
    f'select x as "{"n" * 200}" from visits',
    "select x\x00 from visits",
    "select\u00a0x\u2028from\u3000visits;;select 1",
]

REFUSED = [
    *(line for texts in (STATEMENTS, SOURCES, FUNCTIONS) for line in texts.strip().split("\n")),
    *SHAPES,
]
