/** Properties of the text of a transcript, for any output of an agent. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { harmless } from "../../src/contract/text/harmless.ts"
import { unseenIn } from "../kit/foreignText.ts"
import { bare, done, live, notice, plain, result, text, transcriptOf, use } from "./transcriptEvents.ts"

describe("an agent", () => {
  const evil = "\x1b[2J\x1b]0;x\x07\r\x9b1m\u202e\u200b\ufe00\u{e0041}\x1b[31m"
  const everywhere = [
    { type: "session", sessionId: evil, model: evil, cliVersion: `1${evil}` },
    { type: "thinking", text: evil },
    text(evil),
    use("t", evil, evil, { kind: "command" }),
    result("t", evil),
    use("u", evil, evil),
    result("u", evil, true),
    use("w", evil, evil),
    notice("retry", evil),
    { type: "text", text: evil, parentToolId: "t" },
    { type: "error", message: evil, code: evil, category: "other", retryable: false },
    done({ outcome: "failed", reason: "agent_failed", errorSubtype: evil, stderrTail: evil, structuredOutput: evil })
  ] as ReadonlyArray<AgentEvent>

  it("cannot drive a terminal, whatever it says", () => {
    expect(unseenIn(transcriptOf(everywhere, plain))).toEqual([])
    // On a live surface the only sequences are our own colours.
    expect(unseenIn(bare(transcriptOf(everywhere, live)))).toEqual([])
  })

  const pieces = Arbitrary.array(Arbitrary.schema(Schema.String), { maxLength: 8 })

  effectIt.prop("has its text told verbatim", [pieces], ([input]) => {
    const answer = input.map(harmless)
    expect(transcriptOf(answer.map(text))).toBe(answer.join(""))
  })

  effectIt.prop(
    "may send any events in any order",
    [Arbitrary.array(Arbitrary.schema(AgentEvent), { maxLength: 8 })],
    ([events]) => {
      for (const surface of [plain, live]) {
        const output = bare(transcriptOf(events, surface))
        expect(unseenIn(output)).toEqual([])
      }
    }
  )
})
