/** A run behind gates of the test, and what they are to do with it. */
import { Effect } from "effect"
import type { Gate, Permit } from "../../../src/agents/engine/Gate.ts"
import { Gates } from "../../../src/agents/engine/Gates.ts"
import { Refused } from "../../../src/contract/AgentError.ts"
import type { RunEnding } from "../../kit/events.ts"
import { type Watched, watchedWithLog } from "../../kit/watched.ts"
import { init, result, text } from "../../kit/wire.ts"

export const gateOf = (permit: Permit, concerns: Gate["concerns"] = ["run", "session", "turn"]): Gate => ({
  name: "test",
  concerns,
  admit: () => Effect.succeed(permit)
})

export const refusal = new Refused({ gate: "test", problem: "not today", retryable: true })
export const refusedEnding: RunEnding = {
  outcome: "failed",
  reason: "refused",
  aborted: false,
  category: "other",
  code: "refused"
}

/** A run of the scripted process behind these gates alone, and what is told to the log. */
export const behind = <E>(
  gates: ReadonlyArray<Gate>,
  test: (run: Watched, log: ReadonlyArray<string>) => Effect.Effect<void, E>,
  params: Parameters<typeof watchedWithLog>[1] = {}
) => watchedWithLog(test, params).pipe(Effect.provideService(Gates, gates))

export const typesOf = (run: Watched) => run.events.map(({ type }) => type)
export const goesOn = ({ script }: Watched) => script.say(init(), text("hi"), result("hi"))
