/** Paths of the page below any prefix: the application's own path is not part of the request. */
import { assert, describe, it } from "@effect/vitest"
import { routeOf } from "../../../src/channels/web/http/request.ts"

const id = "7f3b0d5e-3c52-4c1a-9f0e-2a6f1f4b9c11"
const names = new Set(["main.js", "parts/turn.js"])
const prefixes = [
  "/",
  "/chat/",
  "/conversations/",
  "/files/",
  `/conversations/${id}/`,
  "/files/conversations/",
  "/state/"
]

const routes = [
  ["", { _tag: "Page", name: "" }],
  ["main.js", { _tag: "Page", name: "main.js" }],
  ["parts/turn.js", { _tag: "Page", name: "parts/turn.js" }],
  ["state", { _tag: "State" }],
  ["events", { _tag: "Events" }],
  ["press", { _tag: "Press" }],
  ["files", { _tag: "Files" }],
  [`files/${id}`, { _tag: "File", id }],
  [`conversations/${id}`, { _tag: "Conversation", id }],
  [`conversations/${id}/export`, { _tag: "Export", id }],
  ["nothing", undefined],
  ["conversations/one", undefined],
  ["files/..", undefined]
] as const

describe.each(prefixes)("below %s", (prefix) => {
  it.each(routes)("%s is what it says", (path, route) => {
    assert.deepStrictEqual(routeOf(`${prefix}${path}`, names), route)
  })
})
