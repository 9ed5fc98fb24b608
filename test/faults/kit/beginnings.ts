/** Every beginning of a recording, cut between lines and inside them, with what the CLI had said until there. */

import type { Cli } from "../../../src/cli/Cli.ts"
import type { RunReason } from "../../../src/contract/FailureReason.ts"
import type { Fixture } from "../../cli/fixtures.ts"
import { linesOf } from "../../cli/transcript.ts"
import type { Printed } from "./batch.ts"
import { type Opinion, secondOpinion, type Wire } from "./secondOpinion.ts"

export interface Beginning extends Printed {
  readonly name: string
  readonly secondOpinion: Opinion
  /** The CLI's verdict when it became certain, if it did. */
  readonly certain: RunReason | undefined
  readonly isCut: boolean
  readonly isEmpty: boolean
}

export const wireOf = (lines: ReadonlyArray<Uint8Array>): ReadonlyArray<Wire> =>
  lines.flatMap((line) => {
    const text = new TextDecoder().decode(line)
    return text.startsWith("{") ? [JSON.parse(text)] : []
  })

/** Commands that the decoder knows; the others are for the command line. */
const paramsOf = ({ sessionId, forkSession, slashCommands }: Printed["params"] = {}): Printed["params"] => ({
  ...(sessionId === undefined ? {} : { sessionId }),
  ...(forkSession === undefined ? {} : { forkSession }),
  ...(slashCommands === undefined ? {} : { slashCommands })
})

export const beginningsOf = (cli: Cli, { name, bytes, expectation }: Fixture): ReadonlyArray<Beginning> => {
  const lines = linesOf(bytes)
  const params = paramsOf(expectation.params)
  const resumed = params.forkSession === true ? undefined : params.sessionId
  const { certainAfterLine } = expectation
  return Array.from({ length: lines.length + 1 }, (_, count) => count).flatMap((count) => {
    const whole = lines.slice(0, count)
    const isCertain = certainAfterLine !== null && count >= certainAfterLine
    const received = isCertain ? whole.slice(0, certainAfterLine) : whole
    const opinion = secondOpinion(cli.id, wireOf(received), resumed)
    const beginning = {
      name: `${name}, ${count} lines`,
      params,
      secondOpinion: opinion,
      certain: isCertain ? opinion.verdict() : undefined,
      bytes: Buffer.concat(whole),
      isCut: false,
      isEmpty: count === 0
    }
    const next = lines[count]
    if (next === undefined) return [beginning]
    const half = { ...beginning, bytes: Buffer.concat([...whole, next.subarray(0, Math.ceil(next.length / 2))]) }
    return [beginning, { ...half, name: `${half.name} and a half`, isCut: true }]
  })
}
