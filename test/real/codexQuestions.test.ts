/** Questions of the real Codex: answered by a handler, with a word about defaults, or not asked at all. */
import { describe, expect, it } from "vitest"
import type { QuestionEvent } from "../../src/promise.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { openLive, take } from "./rig/live.ts"

const colours = {
  id: "colour",
  header: "Colour",
  question: "Which colour?",
  options: [
    { label: "Red", description: "like fire" },
    { label: "Green", description: "like grass" }
  ]
}
const ask = call(tool("request_user_input", { questions: [colours] }))

describe("questions", () => {
  it.each([
    ["by a label", "Green"],
    ["in other words", "Something else"]
  ])("are answered %s", async (_, answer) => {
    const request: Array<QuestionEvent> = []
    await using live = await openLive("codex", [ask, say("done")], {
      onQuestion: async (question) => {
        request.push(question)
        return { "Which colour?": [answer] }
      }
    })
    const { events, result } = await take(live.session, "go")
    expect(request[0]?.questions).toMatchObject([{ question: "Which colour?", multiple: false, freeText: true }])
    expect(request[0]?.questions[0]?.options).toEqual(colours.options)
    expect(ofType(events, "question_answer")).toMatchObject([{ by: "handler", answers: { "Which colour?": [answer] } }])
    expect((await live.api.arrival(2)).toolResults[0]?.text).toContain(answer)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("that are not answered in time are answered with a word about defaults", async () => {
    await using live = await openLive("codex", [ask, say("done")], { questions: { deadline: 300 } })
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "question_answer")).toMatchObject([{ by: "deadline" }])
    expect((await live.api.arrival(2)).toolResults[0]?.text).toMatch(/default/i)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("are not even asked without a handler", async () => {
    await using live = await openLive("codex", [ask, say("done")])
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "question")).toEqual([])
    expect((await live.api.arrival(2)).toolResults[0]?.text).toMatch(/unavailable/)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})
