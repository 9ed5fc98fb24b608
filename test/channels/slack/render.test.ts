/** Payloads as blocks of rich text: within Slack's limits, nothing lost, nothing that is markup. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { richText } from "../../../src/bridge/format/richText.ts"
import { elementsOf, isBody, limits, render } from "../../../src/channels/slack/outgoing/render.ts"
import { blocksOf, textOfBlocks } from "../../../src/testing/slack/blocks.ts"

const bodyOf = (body: unknown) => (isBody(body) ? body : undefined)

describe("text of Slack", () => {
  it.each<[string, ReadonlyArray<unknown>]>([
    ["plain <!channel>", [{ type: "rich_text_section", elements: [{ type: "text", text: "plain <!channel>" }] }]],
    [
      "**bold *both*** [link](https://a.example)",
      [
        {
          type: "rich_text_section",
          elements: [
            { type: "text", text: "bold ", style: { bold: true } },
            { type: "text", text: "both", style: { bold: true, italic: true } },
            { type: "text", text: " " },
            { type: "link", url: "https://a.example", text: "link" }
          ]
        }
      ]
    ],
    [
      "before\n\n```ts\nlet a\n```\n\n> quoted `code`\n\nafter",
      [
        { type: "rich_text_section", elements: [{ type: "text", text: "before" }] },
        { type: "rich_text_preformatted", elements: [{ type: "text", text: "let a" }] },
        {
          type: "rich_text_quote",
          elements: [
            { type: "text", text: "quoted " },
            { type: "text", text: "code", style: { code: true } }
          ]
        },
        { type: "rich_text_section", elements: [{ type: "text", text: "after" }] }
      ]
    ]
  ])("has marks: %j", (markdown, elements) => {
    expect(elementsOf(richText(markdown))).toEqual(elements)
  })

  it.prop(
    "is taken by Slack, whole, whatever it is",
    { text: Schema.String, word: Schema.String },
    ({ text, word }) => {
      const payload = { text: `# ${word}\n\n${text}\n\n> ${word}\n\n\`\`\`\n${text}\n\`\`\`\n`.repeat(40) }
      const visible: Array<string> = []
      for (const { body, text: own } of render(payload)) {
        const { blocks = [], text: notification = "" } = bodyOf(body) ?? {}
        expect(own.length).toBeLessThanOrEqual(limits.text)
        expect(Buffer.byteLength(notification)).toBeLessThanOrEqual(3_000)
        visible.push(textOfBlocks(blocksOf(blocks) ?? []))
        expect(visible.at(-1)?.replaceAll(/\s/g, "")).toBe(own.replaceAll(/\s/g, ""))
      }
    }
  )

  it("puts at most 25 buttons with ids of their own below the last text, and files behind it", () => {
    const row = Array.from({ length: 30 }, (_, at) => ({ label: `${at} ${"x".repeat(100)}`, data: `d${at}` }))
    const pieces = render({ text: "May I?", buttons: [row], mediaUrls: ["/tmp/a.png"] })
    expect(pieces.map(({ file }) => file)).toEqual([undefined, "/tmp/a.png"])
    const [, actions] = bodyOf(pieces[0]?.body)?.blocks ?? []
    expect(blocksOf([actions])?.[0]?.["elements"]).toHaveLength(25)
    expect(render({ mediaUrls: ["/tmp/a.png"], buttons: [row] }).map(({ text }) => text)).toEqual(["Choose:", "a.png"])
  })
})
