/** Frames of Server-Sent Events, and what a client says that it has. */
import { assert, describe, it } from "vitest"
import { frameOf, lastEventIdIn, positionOf } from "../../../src/agents/feed/eventLog.ts"

const stamped = { position: 7, at: 0, event: { type: "text", text: "" } } as const

describe("a frame", () => {
  it("has the position as its id, and the JSON on one line", () => {
    assert.strictEqual(frameOf({ stamped, json: '{"a":"\\n\\r"}' }), 'id: 7\ndata: {"a":"\\n\\r"}\n\n')
  })

  it("of what is not sent only moves the id on", () => {
    assert.strictEqual(frameOf({ stamped, json: undefined }), "id: 7\n\n")
  })
})

describe("the position of a client", () => {
  const rows: ReadonlyArray<readonly [string | null | undefined, number]> = [
    ["3", 3],
    ["10", 10],
    ["0", 0],
    ["11", 0],
    [undefined, 0],
    [null, 0],
    ["", 0],
    ["-1", 0],
    ["3.5", 0],
    ["3x", 0],
    ["1e1", 0],
    [" 3", 0],
    ["9".repeat(400), 0]
  ]
  it.each(rows)("%j", (id, position) => assert.strictEqual(positionOf(id, 10), position))

  it("is in the headers of a Fetch request and of Node's", () => {
    assert.strictEqual(lastEventIdIn({ headers: new Headers({ "Last-Event-ID": "3" }) }), "3")
    assert.strictEqual(lastEventIdIn({ headers: { "last-event-id": "3" } }), "3")
    assert.isUndefined(lastEventIdIn({ headers: new Headers() }))
    assert.isUndefined(lastEventIdIn({ headers: {} }))
    assert.isUndefined(lastEventIdIn({ headers: { "last-event-id": ["3", "4"] } }))
  })
})
