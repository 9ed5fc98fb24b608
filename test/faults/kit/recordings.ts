/** Where the recordings of a CLI are, and the plainest of them. */
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import type { Cli } from "../../../src/cli/Cli.ts"
import { type Fixture, fixturesOf } from "../../cli/fixtures.ts"

export const recordingPath = ({ id, testedVersion }: Cli, name: string) =>
  fileURLToPath(new URL(`../../../fixtures/${id}/${testedVersion}/${name}.ndjson`, import.meta.url))

/** A good answer, and no options. */
export const plainSuccessOf = (cli: Cli): Fixture => {
  const found = fixturesOf(cli).find(
    ({ name, expectation: { exit, params, goesOn, result } }) =>
      name.startsWith("01-plain") &&
      "code" in exit &&
      exit.code === 0 &&
      result.outcome === "completed" &&
      !params &&
      !goesOn
  )
  return found ?? assert.fail(`no plain success among the recordings of ${cli.id}`)
}
