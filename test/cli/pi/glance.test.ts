/** Pi's frequent lines mean the same at a glance. */
import { Arbitrary } from "effect"
import { assert, describe, it } from "vitest"
import { pi } from "../../../src/cli/pi/index.ts"
import { glance } from "../../../src/cli/pi/wire.ts"
import { describeGlance } from "../glance.ts"
import { anyRun, wireOf } from "./generate.ts"
import { delta, oldDelta } from "./wireLines.ts"

describeGlance({
  make: () => pi,
  atLeast: 44,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines)
})

describe("a line that is not read at a glance", () => {
  const assistantMessageEvent = { type: "text_delta", contentIndex: 0, delta: 'a "b"\n' }

  it("is any that is cut, or has anything behind the piece, or other counts before it", () => {
    const line = JSON.stringify(delta("text", 0, 'a "b"\n'))
    assert.deepInclude(glance(line)?.wire, { assistantMessageEvent })
    for (const other of [
      line.slice(0, -1),
      line.replace("text_delta", "text_end"),
      line.replace('"contentIndex":0', '"contentIndex":-1'),
      line.replace('"input":100,', '"input":"100",'),
      line.replace('"input":100,', '"input":100'),
      line.replace('"input":100,', '"input":0100,'),
      line.replace('"input":100,', '"input":100},"type":"message_end","more":{'),
      line.replace('"total":0.5', '"total":{}'),
      `${line.slice(0, -1)},"type":"message_end"}`,
      `${line.slice(0, -2)},"type":"text_end"}}`
    ]) {
      assert.isUndefined(glance(other), other)
    }
  })

  it("is any of 0.73.1 that is cut, or differs before the message", () => {
    const line = JSON.stringify(oldDelta("text", 0, 'a "b"\n', { content: [{ type: "text", text: 'a "b"\n' }] }))
    assert.deepInclude(glance(line)?.wire, { assistantMessageEvent })
    for (const other of [
      line.slice(0, -1),
      line.slice(0, line.indexOf('"partial":') + '"partial":'.length),
      line.replace("message_update", "message_end"),
      line.replace("text_delta", "text_end"),
      line.replace('"contentIndex":0', '"contentIndex":-1'),
      line.replace('"contentIndex":0,', ""),
      line.replace('"delta":', '"content":'),
      line.replace('"partial":', '"whole":'),
      `${line.slice(0, -1)},"type":"message_end"}`,
      line.replace('},"message":', ',"type":"text_end"},"message":'),
      line.replace('"role":"assistant"', '"role":"user"')
    ]) {
      assert.isUndefined(glance(other), other)
    }
  })
})
