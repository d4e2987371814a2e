"""The curator from Python: plan, ask, look, share a price; on a hospital of nobody."""

from pathlib import Path
from tempfile import TemporaryDirectory

import differential_privacy as dp
from differential_privacy.cli.hospital import Hospital


def main() -> None:
    """Walk through what an analyst does."""
    with TemporaryDirectory() as folder:
        hospital = Hospital(Path(folder))
        hospital.make(visits=200_000, patients=20_000)
        with dp.Curator(hospital.policy) as curator:
            curator.prepare()
            ask(curator.session("ada"))


def ask(ada: dp.Session) -> None:
    """A plan, its answer, a question built in steps, a wished error, a shared price."""
    plan = ada.plan(
        "SELECT ward, COUNT(*) AS n, AVG(nights) AS nights FROM visits GROUP BY ward", epsilon=0.5
    )
    print(f"costs {plan.loss}: {', '.join(map(str, plan.expected()))}\n")
    print(f"{ada.buy(plan)}\n")

    built = ada.table("visits").where("age >= 65").group_by("emergency").count().mean("cost")
    print(f"{built.sql}\n{built.answer(epsilon=0.2)}\n")

    wished = ada.sql("SELECT COUNT(DISTINCT patient) AS people FROM visits", within={"people": 40})
    print(f"{wished}\n")

    questions = [
        ("SELECT COUNT(*) AS young FROM visits WHERE age < 18", {"young": 500}),
        ("SELECT COUNT(*) AS old FROM visits WHERE age >= 80", {"old": 1000}),
    ]
    for answer in ada.batch(questions, epsilon=0.3):
        print(f"{answer}\n")

    try:
        ada.sql("SELECT diagnosis, cost FROM visits", epsilon=0.1)
    except dp.DifferentialPrivacyError as error:
        print(f"refused: {error}\n")
    print(f"left: {ada.account.left}")


if __name__ == "__main__":
    main()
