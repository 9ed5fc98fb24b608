/** Recorded output of the CLIs, as lines; read once. */

import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { fixturesOf } from "../../test/cli/fixtures.ts"

export interface Recording {
  readonly name: string
  /** Each without its newline. */
  readonly lines: ReadonlyArray<string>
  readonly params: Partial<AgentExecuteParams>
  /** Id of the recorded session; undefined if none was opened. */
  readonly sessionId: string | undefined
}

/** Recordings that resume a session: all have the same few, and two runs on one session wait for each other. */
const withoutSession = ({ sessionId: _, forkSession: __, ...params }: Partial<AgentExecuteParams>) => params

/** One that needs more than one prompt is not one of a run. */
const read = (id: CliId): ReadonlyArray<Recording> =>
  fixturesOf(clis[id])
    .filter(({ expectation }) => expectation.goesOn !== true)
    .map(({ name, bytes, expectation: { params = {}, result } }) => ({
      name,
      lines: Buffer.from(bytes)
        .toString()
        .split("\n")
        .filter((line) => line !== ""),
      params: withoutSession(params),
      sessionId: result.sessionId
    }))

const all = new Map<CliId, ReadonlyArray<Recording>>()

export const recordingsOf = (id: CliId): ReadonlyArray<Recording> => {
  const known = all.get(id) ?? read(id)
  all.set(id, known)
  return known
}

/** A resumed session keeps its own id. */
export const underSession = (recording: Recording, sessionId: string | undefined): Recording => {
  const { sessionId: recorded, lines } = recording
  if (recorded === undefined || sessionId === undefined) return recording
  return { ...recording, sessionId, lines: lines.map((line) => line.replaceAll(recorded, sessionId)) }
}

export const recordingOf = (id: CliId, name: string): Recording => {
  const found = recordingsOf(id).find((recording) => recording.name === name)
  if (found === undefined) throw new Error(`no recording ${name} of ${id}`)
  return found
}
