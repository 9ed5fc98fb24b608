/** `structuredOutput` has the type of the schema: checked by the compiler. */
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { type Effect, Schema, type Stream } from "effect"
import * as v from "valibot"
import { describe, expectTypeOf, it } from "vitest"
import { z } from "zod"
import type { AgentError, AgentEvent, AgentRunResult, AgentRuntime, AgentSession } from "../../../src/index.ts"
import type { PlainAgent, PlainSession } from "../../../src/promise.ts"

interface Review {
  readonly files: ReadonlyArray<string>
}

declare const agent: PlainAgent
declare const runtime: AgentRuntime["Service"]
declare const session: PlainSession
declare const live: AgentSession

const prompt = "Review."
const zod = z.object({ files: z.array(z.string()).default([]) })
const valibot = toStandardJsonSchema(v.object({ files: v.array(v.string()) }))
const arktype = type({ files: "string[]" })
const effect = Schema.Struct({ at: Schema.Date })
declare const needing: Schema.Codec<string, string, "Service">
class Release extends Schema.Class<Release>("Release")({ version: Schema.String }) {}

/** Never called. */
const typed = () => ({
  zod: agent.run({ prompt, outputSchema: zod }),
  valibot: agent.run({ prompt, outputSchema: valibot }),
  arktype: agent.run({ prompt, outputSchema: arktype }),
  effect: agent.run({ prompt, outputSchema: effect }),
  classOf: runtime.run({ prompt, outputSchema: Release }),
  json: agent.run({ prompt, outputSchema: { type: "object" } }),
  named: agent.run<Review>({ prompt, outputSchema: { type: "object" } }),
  none: agent.run({ prompt }),
  events: runtime.execute({ prompt, outputSchema: effect }),
  turn: session.turn(prompt, { outputSchema: zod, retries: 2 }),
  liveTurn: live.turn(prompt, { outputSchema: effect })
})
type Typed = ReturnType<typeof typed>

type Files = { files: string[] }

describe("the output of a run", () => {
  it("is that of the schema", () => {
    expectTypeOf<Typed["zod"]>().toEqualTypeOf<Promise<AgentRunResult<Files>>>()
    expectTypeOf<Typed["valibot"]>().toEqualTypeOf<Promise<AgentRunResult<Files>>>()
    expectTypeOf<Typed["arktype"]>().toEqualTypeOf<Promise<AgentRunResult<Files>>>()
    expectTypeOf<Typed["effect"]>().toEqualTypeOf<Promise<AgentRunResult<{ readonly at: Date }>>>()
    expectTypeOf<Typed["classOf"]>().toEqualTypeOf<Effect.Effect<AgentRunResult<Release>, AgentError>>()
  })

  it("is unknown by JSON Schema, or what the caller names", () => {
    expectTypeOf<Typed["json"]>().toEqualTypeOf<Promise<AgentRunResult>>()
    expectTypeOf<Typed["named"]>().toEqualTypeOf<Promise<AgentRunResult<Review>>>()
    expectTypeOf<Typed["none"]>().toEqualTypeOf<Promise<AgentRunResult>>()
  })

  it("is in the end of events and turns", () => {
    expectTypeOf<Typed["events"]>().toEqualTypeOf<Stream.Stream<AgentEvent<{ readonly at: Date }>>>()
    expectTypeOf<Typed["turn"]>().toEqualTypeOf<AsyncIterable<AgentEvent<Files>>>()
    expectTypeOf<Typed["liveTurn"]>().toEqualTypeOf<Stream.Stream<AgentEvent<{ readonly at: Date }>>>()
  })
})

/** Never called. */
const refused = () => {
  // @ts-expect-error A schema of Valibot alone gives no JSON Schema.
  agent.run({ prompt, outputSchema: v.object({}) })
  // @ts-expect-error It needs a service to decode.
  agent.run({ prompt, outputSchema: needing })
  // @ts-expect-error No schema.
  agent.run({ prompt, outputSchema: "object" })
  // @ts-expect-error A schema in an object.
  agent.run({ prompt, outputSchema: { name: "review", schema: { type: "object" } } })
  // @ts-expect-error No count.
  session.turn(prompt, { outputSchema: zod, retries: "2" })
}
void [typed, refused]
