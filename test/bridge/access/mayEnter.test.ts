/** Who may write: the same for messages, edits, presses and stops. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { assert, describe, it } from "vitest"
import type { AccessOptions } from "../../../src/bridge/access/AccessOptions.ts"
import { checkAccess } from "../../../src/bridge/access/checkAccess.ts"
import { mayEnter, type Policy, type Verdict, withMember, withMoves } from "../../../src/bridge/access/policy.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import { account, chat, content, person, ways } from "../incomingUpdates.ts"

const policyOf = (options: AccessOptions, isPerson = account.isPerson): Policy =>
  Result.getOrThrow(checkAccess(options, { ...account, isPerson }))

const options: AccessOptions = {
  owners: ["1"],
  admins: ["2"],
  approvers: ["3"],
  users: ["4"],
  groups: { "-100": {}, "-200": { users: ["5"] }, "-300": { approvers: ["6"], mention: false } }
}
const policy = policyOf(options)

const visible = (verdict: Verdict) => (verdict.isAllowed ? verdict.role : verdict.reason)

const inGroup = (id: string, groupId: string, addressed = true) =>
  content("hi", person(id), { conversation: chat(groupId), chat: "group", addressed })

const cases: ReadonlyArray<readonly [name: string, message: ChannelMessage, expected: string]> = [
  ["the owner", content("hi", person("1")), "owner"],
  ["an admin", content("hi", person("2")), "admin"],
  ["an approver", content("hi", person("3")), "approver"],
  ["a user", content("hi", person("4")), "user"],
  ["a person of a group, directly", content("hi", person("5")), "not_listed"],
  ["a stranger", content("hi", person("7")), "not_listed"],
  ["a stranger with the name of the owner", content("hi", person("7", { name: "1", username: "1" })), "not_listed"],
  ["an id with a space", content("hi", person("1 ")), "not_a_person"],
  ["an id with a leading zero", content("hi", person("01")), "not_a_person"],
  ["an id in Arabic digits", content("hi", person("١")), "not_a_person"],
  ["an id with an invisible character", content("hi", person("1\u200b")), "not_a_person"],
  ["no id", content("hi", person("")), "not_a_person"],
  ["a bot with a listed id", content("hi", person("1", { isBot: true })), "bot"],
  ["a channel as the sender", content("hi", person("-1001")), "not_a_person"],
  ["an anonymous admin, whose sender is the group", inGroup("-100", "-100"), "not_a_person"],
  ["a user in a group", inGroup("4", "-100"), "user"],
  ["a stranger in a group", inGroup("7", "-100"), "not_listed"],
  ["the owner in a group that is not listed", inGroup("1", "-999"), "chat_not_listed"],
  ["a user in a group with a list of its own", inGroup("4", "-200"), "not_listed"],
  ["a person of that list", inGroup("5", "-200"), "user"],
  ["an admin in a group with a list of its own", inGroup("2", "-200"), "admin"],
  ["an approver of one group", inGroup("6", "-300"), "approver"],
  ["a general approver in a group with its own approvers", inGroup("3", "-300"), "not_listed"],
  ["another account", content("hi", person("1"), { conversation: { ...chat("1"), accountId: "b2" } }), "elsewhere"],
  ["another channel", content("hi", person("1"), { conversation: { ...chat("1"), channel: "web" } }), "elsewhere"],
  [
    "a group's chat said to be direct gives no group rights",
    content("hi", person("5"), { conversation: chat("-200") }),
    "not_listed"
  ]
]

describe.each(ways)("%s", (_name, of) => {
  it.each(cases)("of %s", (_case, message, expected) => {
    assert.strictEqual(visible(mayEnter(policy, of(message))), expected)
  })
})

describe("in a group", () => {
  const received = (message: ChannelMessage) => visible(mayEnter(policy, { _tag: "Message", message }))

  it("a message to others is refused", () => {
    assert.strictEqual(received(inGroup("4", "-100", false)), "not_addressed")
    assert.strictEqual(received(inGroup("7", "-100", false)), "not_listed")
  })
  it("every message is taken if configured", () =>
    assert.strictEqual(received(inGroup("6", "-300", false)), "approver"))
})

describe("any group", () => {
  const open = { "-100": { users: ["6"] }, "*": { users: ["5"], mention: false } }
  const anywhere = policyOf({ ...options, groups: open })
  const received = (message: ChannelMessage) => visible(mayEnter(anywhere, { _tag: "Message", message }))

  it.each([
    ["its own people", inGroup("5", "-7"), "user"],
    ["the owner", inGroup("1", "-7"), "owner"],
    ["an unlisted person", inGroup("9", "-7"), "not_listed"],
    ["a user of other chats", inGroup("4", "-7"), "not_listed"],
    ["what is not addressed to the account", inGroup("5", "-7", false), "user"],
    ["the people of a group with an entry of its own", inGroup("6", "-100"), "user"],
    ["others in a group with an entry of its own", inGroup("5", "-100"), "not_listed"],
    ["what is not addressed to it in such a group", inGroup("6", "-100", false), "not_addressed"],
    ["its people in a direct chat", content("hi", person("5")), "not_listed"]
  ])("is for %s", (_case, message, expected) => assert.strictEqual(received(message), expected))
})

describe("further ids", () => {
  const roles = policyOf({ owners: ["1"], users: ["role:9"], admins: ["role:8"] }, (id) => /^(role:)?\d+$/.test(id))
  const of = (...ids: ReadonlyArray<string>) =>
    visible(mayEnter(roles, { _tag: "Message", message: content("hi", person("7", { ids })) }))

  it("may be listed, and the highest role counts", () => {
    assert.strictEqual(of("role:9"), "user")
    assert.strictEqual(of("role:9", "role:8"), "admin")
    assert.strictEqual(of("role:7"), "not_listed")
    assert.strictEqual(of(), "not_listed")
  })
})

describe("a policy that changes", () => {
  it("has a person who paired", () =>
    assert.strictEqual(
      visible(mayEnter(withMember(policy, "7", "owner"), { _tag: "Message", message: content("hi", person("7")) })),
      "owner"
    ))

  const heardIn = (moves: ReadonlyArray<readonly [string, string]>, groupId: string) =>
    visible(mayEnter(withMoves(policy, new Map(moves)), { _tag: "Message", message: inGroup("5", groupId) }))

  it("follows groups that move, also several times, and forgets their old ids", () => {
    const moves = [
      ["-200", "-201"],
      ["-201", "-202"]
    ] as const
    assert.strictEqual(heardIn(moves, "-202"), "user")
    assert.strictEqual(heardIn(moves, "-200"), "chat_not_listed")
    assert.strictEqual(heardIn(moves, "-201"), "chat_not_listed")
  })
  it("keeps the entry of a group that is listed by its new id", () =>
    assert.strictEqual(heardIn([["-100", "-200"]], "-200"), "user"))
  it("keeps it also if that entry is first", () => {
    const moved = withMoves(policy, new Map([["-200", "-100"]]))
    assert.strictEqual(visible(mayEnter(moved, { _tag: "Message", message: inGroup("4", "-100") })), "user")
  })
  it("terminates for circular moves", () =>
    assert.include(
      ["user", "chat_not_listed"],
      heardIn(
        [
          ["-200", "-201"],
          ["-201", "-200"]
        ],
        "-200"
      )
    ))
  it("gives nothing to a group that was not listed", () =>
    assert.strictEqual(heardIn([["-9", "-8"]], "-8"), "chat_not_listed"))
})

const AnyPerson = Schema.Union([
  Schema.Literals(["1", "2", "3", "4", "5", "6", "7", "-100", "@ann", "１"]),
  Schema.String
])
const Any = Schema.Struct({
  id: AnyPerson,
  ids: Schema.Array(AnyPerson),
  username: AnyPerson,
  name: AnyPerson,
  chatId: Schema.Union([Schema.Literals(["1", "-100", "-200", "-300"]), Schema.String]),
  chat: Schema.Literals(["direct", "group"]),
  isBot: Schema.Boolean,
  addressed: Schema.Boolean
})

effectIt.prop(
  "a name, a chat or an unlisted id gives no access",
  [Arbitrary.schema(Any)],
  ([{ id, ids, username, name, chatId, chat: kind, isBot, addressed }]) => {
    const sender = { id, ids, username, name, isBot }
    const message = content("hi", sender, { conversation: chat(chatId), chat: kind, addressed })
    const listed = ["1", "2", "3", "4", ...(kind === "group" ? ["5", "6"] : [])]
    for (const [, of] of ways) {
      const verdict = mayEnter(policy, of(message))
      if (!verdict.isAllowed) continue
      assert.isFalse(isBot)
      assert.isTrue([id, ...ids].some((each) => listed.includes(each)))
      if (kind === "group") assert.include(["-100", "-200", "-300"], chatId)
    }
  }
)
