// A CLI value that works like the given one, and tells each wire line that it reads: its kind, its places, which of them
// were looked at, and whether it was understood.
import type { Cli } from "../../src/cli/Cli.ts"
import type { CliId } from "../../src/cli/clis.ts"
import type { Decoder } from "../../src/cli/Decoder.ts"
import { type Dialogue, isAction, type Output } from "../../src/cli/Live.ts"
import { translate } from "../../test/kit/translate.ts"
import { kindOf, type Wire } from "./kinds.ts"
import { isRecord, placesOf } from "./paths.ts"
import { track, untracked } from "./tracked.ts"

export interface HeardLine {
  readonly wire: Wire
  readonly kind: string
  readonly places: ReadonlyArray<string>
  /** Places that were looked at, present or not. */
  readonly asked: ReadonlyArray<string>
  /** False where it came out as an `unknown` event. */
  readonly isUnderstood: boolean
}

export type OnLine = (line: HeardLine, json: unknown) => void

export const spyOn = (id: CliId, cli: Cli, onLine: OnLine): Cli => {
  const hear = <A extends { readonly type?: unknown } | object>(
    wire: Wire,
    input: unknown,
    methodOf: (id: unknown) => string | undefined,
    push: (json: unknown) => ReadonlyArray<A>
  ): ReadonlyArray<A> => {
    const tracked = track(input)
    const outputs = untracked(push(tracked.json))
    tracked.stop()
    const isUnderstood = !outputs.some((output) => "type" in output && output.type === "unknown")
    const kind = kindOf(id, wire, input, methodOf)
    onLine({ wire, kind, places: [...placesOf(input)], asked: [...tracked.asked], isUnderstood }, input)
    return outputs
  }

  const decoder: Cli["decoder"] = (params) => {
    const inner: Decoder = cli.decoder(params)
    const step = (json: unknown) =>
      hear(
        "run",
        json,
        () => undefined,
        (tracked) => translate(inner, tracked)
      )
    return { ...inner, stages: (use) => use((json) => json, step) }
  }

  /** Without its glance: what is not parsed has no places. */
  const watch = ({ glance: _, ...inner }: Dialogue): Dialogue => {
    const methods = new Map<unknown, string>()
    const noting = <O extends ReadonlyArray<Output> | undefined>(outputs: O): O => {
      for (const output of outputs ?? []) {
        if (!isAction(output) || output._tag !== "Write" || !isRecord(output.json)) continue
        const { id: requestId, method } = output.json
        if (typeof method === "string") methods.set(requestId, method)
      }
      return untracked(outputs)
    }
    return {
      ...inner,
      open: () => noting(inner.open()),
      push: (json) => noting(hear("live", json, (requestId) => methods.get(requestId), inner.push)),
      turn: (prompt) => noting(inner.turn(prompt)),
      steer: (text) => noting(inner.steer(text)),
      interrupt: () => noting(inner.interrupt()),
      decide: (requestId, decision) => noting(inner.decide(requestId, decision)),
      answer: (requestId, answers) => noting(inner.answer(requestId, answers)),
      change: (changeId, change) => noting(inner.change(changeId, change)),
      reply: (callId, reply) => noting(inner.reply(callId, reply))
    }
  }

  if (cli.live === undefined) return { ...cli, decoder }
  const { live } = cli
  return { ...cli, decoder, live: { ...live, dialogue: (params, context) => watch(live.dialogue(params, context)) } }
}
