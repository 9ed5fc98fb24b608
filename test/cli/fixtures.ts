/** The recordings of a CLI in `fixtures/<id>/<version>`, each with what must come out of it. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert } from "vitest"
import type { Cli } from "../../src/cli/Cli.ts"
import type { CliId } from "../../src/cli/clis.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentRunResult, ProcessExit } from "../../src/contract/AgentRunResult.ts"
import { recordingUrl } from "../kit/recordings.ts"
import { linesOf, type Outcome, runTranscript } from "./transcript.ts"

interface Expectation {
  readonly about: string
  readonly params?: Partial<AgentExecuteParams>
  readonly exit: ProcessExit
  readonly stderr?: string
  readonly goesOn?: boolean
  readonly certainAfterLine: number | null
  readonly events: ReadonlyArray<AgentEvent>
  readonly result: Partial<AgentRunResult> & { readonly error?: Partial<Extract<AgentEvent, { type: "error" }>> }
}

export interface Fixture {
  readonly name: string
  readonly bytes: Uint8Array
  readonly expectation: Expectation
}

export const fixturesOf = ({ id }: Cli): ReadonlyArray<Fixture> => {
  const folder = recordingUrl(id as CliId, "") // only those that are known have recordings
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ndjson"))
    .map((file) => file.slice(0, -".ndjson".length))
    .map((name) => ({
      name,
      bytes: readFileSync(new URL(`${name}.ndjson`, folder)),
      expectation: JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"))
    }))
}

/** For a program that prints a recording. */
export const recordingPath = ({ id }: Cli, { name }: Fixture) =>
  fileURLToPath(recordingUrl(id as CliId, `${name}.ndjson`)) // as above

/** The plainest: it completes with a text, has no params, and no more of a session than the run's own. */
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

/** By name, for `it.each`. */
export const named = (fixtures: ReadonlyArray<Fixture>) => fixtures.map((fixture) => [fixture.name, fixture] as const)

/** As it was recorded or, with other chunks, as it might have come. */
export const runFixture = (cli: Cli, { bytes, expectation }: Fixture, chunks = linesOf(bytes)): Outcome =>
  runTranscript(cli, {
    chunks,
    exit: expectation.exit,
    goesOn: expectation.goesOn === true,
    ...(expectation.stderr === undefined ? {} : { stderr: expectation.stderr }),
    ...(expectation.params === undefined ? {} : { params: expectation.params })
  })
