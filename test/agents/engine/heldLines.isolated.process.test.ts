/** Memory of the lines that a run has read: measured, so in a process of its own. */
import { setImmediate as turn } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { makeListener } from "../../../src/agents/engine/listener.ts"
import { pipeline } from "../../../src/agents/engine/pipeline.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { makeRedactor } from "../../../src/system/process/redactor.ts"
import { heldBytes } from "../../kit/heap.ts"

/** When further collections free nothing more: some of what they find is freed beside them, and counted later. */
const heldAtRest = async () => {
  let held = heldBytes()
  for (let same = 0; same < 3; ) {
    await turn()
    const next = heldBytes()
    same = held - next < 10_000 ? same + 1 : 0
    held = Math.min(held, next)
  }
  return held
}

const ids = `"session_id":"9a3ea1c2-1f5c-4e2a-9a3f-000000000001"`
const thinking = `{"type":"system","subtype":"thinking_tokens","estimated_tokens":2,"estimated_tokens_delta":2,${ids},"uuid":"u"}`
const delta = `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}},${ids},"parent_tool_use_id":null,"uuid":"u","api_message_id":"msg_0123456789abcdef"}`
/** Both are read at a glance; the first names no session. */
const chunk = `${thinking}\n${delta}\n`.repeat(1_000)

it.effect("keeps no chunk of output because of a piece of it", () =>
  Effect.gen(function* () {
    const open = () => {
      const { stages } = claude.decoder({ prompt: "" })
      const listener = makeListener({
        cli: claude,
        options: {},
        params: {},
        workingDirectory: "/w",
        watchdog: { notice: () => {} },
        redactor: makeRedactor([]),
        course: {
          stages,
          give: () => {},
          isOver: () => false,
          fail: ({ message }) => assert.fail(message),
          onLineEnd: () => {}
        }
      })
      return Effect.as(pipeline({ ...listener, stdout: Stream.make(Buffer.from(chunk)) }), listener)
    }
    yield* open()
    const before = yield* Effect.promise(heldAtRest)
    const runs = yield* Effect.forEach(Array.from({ length: 100 }), open)
    const each = ((yield* Effect.promise(heldAtRest)) - before) / runs.length
    assert.isBelow(each, chunk.length / 4)
    assert.isTrue(runs.every(({ hasSpoken }) => hasSpoken()))
  })
)
