// The targets of the measurement and what was measured: the verdicts of `bench/speed/RESULTS.md`, which `npm run bench` writes.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { table } from "../kit/markdown.ts"
import { root } from "../kit/pages.ts"

/** As `bench/speed/table.ts` writes them: "- What: 1.72 ×, target ≤ 1.5 ×: **missed** by 0.22." */
const verdict = /^- (.+): (.+?), target (.+?): \*\*(reached|missed)\*\*/gm

export const verdictsOf = (results: string): ReadonlyArray<ReadonlyArray<string>> =>
  results
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [title = ""] = section.split("\n", 1)
      return [...section.matchAll(verdict)].map(([, what = "", measured = "", target = "", word = ""], nth) => [
        nth === 0 ? title : "",
        what,
        target,
        word === "reached" ? measured : `${measured}, missed`
      ])
    })

export const costsTable = (): string =>
  table(["", "", "target", "measured"], verdictsOf(readFileSync(join(root, "bench/speed/RESULTS.md"), "utf8")))
