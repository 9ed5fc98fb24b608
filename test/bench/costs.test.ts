/** The verdicts of the measurement, as its page shows them. */
import { assert, it } from "vitest"
import { markdown, verdict } from "../../bench/speed/table.ts"
import { verdictsOf } from "../../tools/docs/tables/costs.ts"

it("each verdict of the measurement is a row, its question named once", () => {
  const table = (title: string, verdicts: ReadonlyArray<string>) =>
    markdown({ title, about: "About.", head: ["", "ms"], rows: [["a: b", "1"]], verdicts })
  const results = [
    "# Results\n\nWritten by a program.",
    table("CPU of a run", [
      verdict("`run()`", 1.25, 1.3, " × loop"),
      verdict("Reins, `for await`", 1.5, 1.3, " × loop")
    ]),
    table("Stages", []),
    table("Start", [verdict('`import "reins"`, more than `import "effect"`', -12, 0, " ms")])
  ].join("\n\n")
  assert.deepStrictEqual(verdictsOf(results), [
    ["CPU of a run", "`run()`", "≤ 1.3 × loop", "1.25 × loop"],
    ["", "Reins, `for await`", "≤ 1.3 × loop", "1.50 × loop, missed"],
    ["Start", '`import "reins"`, more than `import "effect"`', "≤ 0 ms", "-12 ms"]
  ])
})
