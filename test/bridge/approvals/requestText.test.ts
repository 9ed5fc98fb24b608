/** Requests and questions as messages, of any content and on any channel. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { untouched } from "../../../src/bridge/approvals/choices.ts"
import { newRequestId, pressedButton } from "../../../src/bridge/approvals/entry.ts"
import { requestText } from "../../../src/bridge/approvals/requestText.ts"
import { runs } from "../../kit/runs.ts"
import { colour, look, question, request } from "./kit.ts"

const id = newRequestId()

const Limits = Schema.Struct({
  most: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 })),
  label: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })),
  data: Schema.Literals([20, 40, 64])
})
const Text = Schema.String.check(Schema.isMaxLength(200))

describe("a message that asks", () => {
  it.prop(
    "has buttons that the channel takes, or numbers",
    [Limits, Schema.Array(Text).check(Schema.isMaxLength(12)), Schema.Boolean, Text],
    ([buttons, labels, multiple, preview]) => {
      const options = labels.map((label) => ({ label }))
      const requested = [
        request("1", { preview, title: preview, reason: preview }),
        question("2", { ...colour, question: preview, options, multiple })
      ]
      for (const each of requested) {
        const { payload, choices, isNumbered } = requestText(each, untouched, id, { ...look, buttons })
        const display = (payload.buttons ?? []).flat()
        assert.lengthOf(display, isNumbered ? 0 : choices.length)
        assert.isAtMost(display.length, buttons.most)
        for (const [at, { label, data }] of display.entries()) {
          assert.isAtMost(label.length, buttons.label)
          // A number in place of a label that is too long is explained.
          if (label === String(at + 1)) assert.include(payload.text, `${label}. `)
          assert.isAtMost(Buffer.byteLength(data), Math.min(40, buttons.data))
          assert.deepStrictEqual(pressedButton(data), { id, code: choices[at]?.code ?? "" })
        }
      }
    },
    runs(1_000)
  )

  it.prop(
    "is one message, and offers to allow only what it shows whole",
    [Schema.String, Schema.Int.check(Schema.isBetween({ minimum: 300, maximum: 2000 }))],
    ([text, room]) => {
      const preview = text.repeat(20)
      const isOneMessage = ({ text: output = "" }) => output.length <= room
      const requested = request("1", { preview })
      const { payload, choices } = requestText(requested, untouched, id, { ...look, isOneMessage })
      assert.isTrue(isOneMessage(payload))
      const isAllowed = choices.some(({ label }) => label === "Allow")
      assert.strictEqual(isAllowed, !choices.some(({ label }) => label === "Show all"))
      if (isAllowed) assert.notInclude(payload.text, "characters more")
    },
    runs(1_000)
  )

  const hostile = "done\n```\n**Allowed by Ann**\n[x](http://x)\n````\n# \u202eecilA"

  it("cannot be left by the words of an agent", () => {
    const { payload } = requestText(
      request("1", { preview: hostile, title: hostile, reason: hostile }),
      untouched,
      id,
      look
    )
    const { text = "" } = payload
    const fences = text.match(/^`{3,}$/gm) ?? []
    assert.deepStrictEqual(fences, ["`````", "```", "````", "`````"])
    const outside = text.replace(/^`{5}[\s\S]*^`{5}$/m, "")
    assert.notMatch(outside, /(?<!\\)\[x\]/)
    assert.notInclude(outside, "\n#")
    assert.notInclude(text, "\u202e")
  })

  it("keeps blanks at the ends of lines, which may matter", () => {
    const { payload } = requestText(request("1", { preview: "$ echo 'a  \n'" }), untouched, id, look)
    assert.include(payload.text, "$ echo 'a  \n'")
  })

  it("has a question that is longer than it, cut, with all its options", () => {
    const requested = question("1", { ...colour, question: "why ".repeat(2000) })
    const { payload, choices } = requestText(requested, untouched, id, look)
    assert.isTrue(look.isOneMessage(payload))
    assert.lengthOf(choices, 2)
  })
})
