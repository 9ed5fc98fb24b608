/** Recorded output of a CLI in a successful run, and in one that it gave up itself. */
import { assert } from "vitest"
import type { Cli } from "../../../src/cli/Cli.ts"
import { type Fixture, fixturesOf, recordingPath } from "../../cli/fixtures.ts"

const findOf = (cli: Cli, fits: (fixture: Fixture) => boolean) =>
  fixturesOf(cli).find(
    (fixture) => fixture.expectation.params === undefined && !fixture.expectation.goesOn && fits(fixture)
  ) ?? assert.fail(`no such run among the recordings of ${cli.id}`)

const hasSession = ({ expectation }: Fixture) => expectation.events.some((event) => event.type === "session")

/** A recording, and how `replays` makes a process of it that ends as the recorded one did. */
const replayed = (cli: Cli, fixture: Fixture) => {
  const { exit } = fixture.expectation
  const file = `--file=${recordingPath(cli, fixture)}`
  const code = "code" in exit ? exit.code : assert.fail(`${fixture.name} was killed`)
  const lines = new TextDecoder().decode(fixture.bytes).split("\n")
  const message = fixture.expectation.result.error?.message ?? ""
  const isCertain = fixture.expectation.certainAfterLine !== null
  return { file, exits: [file, `--then=exit-${code}`], lines, message, isCertain }
}

export const successOf = (cli: Cli) =>
  replayed(
    cli,
    findOf(cli, ({ name, expectation }) => name.startsWith("01-plain") && expectation.result.outcome === "completed")
  )

/** A model server that refused the request. */
export const failureOf = (cli: Cli) =>
  replayed(
    cli,
    findOf(
      cli,
      (fixture) =>
        /^06-.*40[03]/.test(fixture.name) && fixture.expectation.result.reason === "agent_failed" && hasSession(fixture)
    )
  )
