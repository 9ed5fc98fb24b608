/** Tab at a command, and what `/copy` takes. */
import { describe, expect, it } from "vitest"
import { nextMode } from "../../../src/program/chat/actions.ts"
import { codeBlocks, copied } from "../../../src/program/chat/answers.ts"
import { emptyEditor } from "../../../src/program/chat/editor.ts"
import { complete } from "../../../src/program/chat/typedCommands.ts"

const known = { models: ["opus-5-5", "opus-4", "haiku"] }

const completed = (text: string, cursor = text.length) => {
  const found = complete({ ...emptyEditor, text, cursor }, known)
  return found === undefined ? undefined : [found.editor.text, found.candidates]
}

describe("Tab", () => {
  it.each([
    ["/mo", "/mode", ["/model", "/mode"]],
    ["/model", "/model ", []],
    ["/st", "/status", []],
    ["/mode ", "/mode ", ["default", "plan", "accept-edits", "bypass"]],
    ["/mode p", "/mode plan", []],
    ["/model o", "/model opus-", ["opus-5-5", "opus-4"]],
    ["/model h", "/model haiku", []],
    ["/x", "/x", []],
    ["/attach a", "/attach a", []]
  ])("%s", (text, after, candidates) => {
    const [found, all] = completed(text) ?? []
    expect(found).toBe(after)
    expect(all).toEqual(candidates)
  })

  it.each(["", "text", "//mo", "see /mo"])("completes nothing in %j", (text) => {
    expect(completed(text)).toBeUndefined()
  })

  it("completes nothing before the end", () => {
    expect(completed("/mo", 1)).toBeUndefined()
  })
})

it("Shift-Tab cycles through the modes, and never to the one that does not ask", () => {
  const round = [undefined, "plan", "accept-edits", "default", "bypass"].map(nextMode)
  expect(round).toEqual(["plan", "accept-edits", "default", "plan", "default"])
})

describe("/copy", () => {
  const text = "See:\n\n```ts\nconst a = 1\n```\n\n~~~~\n```\nb\n~~~~\nand\n\n```\nopen"
  it("knows the blocks of code", () => {
    expect(codeBlocks(text)).toEqual(["const a = 1", "```\nb", "open"])
  })

  it.each([
    [undefined, { text }],
    [2, { text: "```\nb" }],
    [4, { problem: "the last answer has 3 blocks of code" }]
  ])("%s", (block, found) => {
    expect(copied({ text, isOver: true }, block)).toEqual(found)
  })

  it("has nothing before the first answer", () => {
    expect(copied({ text: "\n", isOver: true }, undefined)).toEqual({ problem: "no answer to copy yet" })
  })
})
