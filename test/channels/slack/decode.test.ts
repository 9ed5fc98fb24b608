/** All that Slack sends as updates: what people write, and nothing else. */
import { Option } from "effect"
import { describe, expect, it } from "vitest"
import { makeDecode, textOf } from "../../../src/channels/slack/incoming/decode.ts"
import { type EventPayload, readEvent } from "../../../src/channels/slack/incoming/wire.ts"

const decode = makeDecode({ me: { team_id: "T1", user_id: "UBOT" }, accountId: "A1" })
const wire = (event: object): EventPayload =>
  Option.getOrThrow(readEvent({ team_id: "T1", event: { type: "message", channel: "C1", ts: "1.000002", ...event } }))
const received = (event: object, isOwnThread = false) => decode.event(wire(event).event, isOwnThread)
const ann = { user: "U1", text: "hello" }

describe("a text of Slack", () => {
  it.each([
    ["<@UBOT> hello", "hello"],
    ["<@UBOT|reins>: hello &lt;b&gt; &amp;amp;", "hello <b> &amp;"],
    ["ask <@U2|Ben> and <@U3>", "ask @Ben and @U3"],
    ["<#C9|general> <!here> <!subteam^S1|@team>", "#general @here @team"],
    [
      "<https://a.example|docs> <https://b.example> <mailto:a@b.example|a@b.example>",
      "docs (https://a.example) https://b.example a@b.example"
    ]
  ])("%j is read as %j", (markup, text) => {
    expect(textOf(markup, "UBOT")).toBe(text)
  })
})

describe("an event of Slack", () => {
  it.each<[string, object]>([
    ["of a bot", { ...ann, bot_id: "B2" }],
    ["of the app itself", { ...ann, user: "UBOT" }],
    ["without a person", { text: "hello" }],
    ["that someone joined", { ...ann, subtype: "channel_join" }],
    ["with a wrong number", { ...ann, ts: "soon" }],
    [
      "of a preview",
      { subtype: "message_changed", message: { ...ann, ts: "1.000001" }, previous_message: { ...ann, ts: "1.000001" } }
    ],
    [
      "of a change of the bot's own message",
      {
        subtype: "message_changed",
        message: { user: "UBOT", text: "b", ts: "1.000001" },
        previous_message: { user: "UBOT", text: "a", ts: "1.000001" }
      }
    ]
  ])("%s is dropped", (_, event) => {
    expect(received(event)).toBeUndefined()
  })

  it("of another workspace is foreign, unless the channel is shared; its people have the team before their id", () => {
    const foreign = { ...wire(ann), team_id: "T2" }
    expect([decode.isForeign(foreign), decode.isForeign({ ...foreign, is_ext_shared_channel: true })]).toEqual([
      true,
      false
    ])
    expect(received({ ...ann, user_team: "T2" })).toMatchObject({ message: { sender: { id: "T2/U1" } } })
    expect(received({ ...ann, user_team: "T1" })).toMatchObject({ message: { sender: { id: "U1" } } })
  })

  it("is for the bot in direct chats, by a mention, and in its threads", () => {
    const addressed = (event: object, isOwn = false) => {
      const incoming = received({ ...ann, ...event }, isOwn)
      return incoming?._tag === "Message" && [incoming.message.addressed, incoming.message.conversation.threadId]
    }
    expect(addressed({ channel: "D1" })).toEqual([true, undefined])
    expect(addressed({})).toEqual([false, "1.000002"])
    expect(addressed({ text: "so <@UBOT>" })).toEqual([true, "1.000002"])
    expect(addressed({ thread_ts: "1.000001" })).toEqual([false, "1.000001"])
    expect(addressed({ thread_ts: "1.000001" }, true)).toEqual([true, "1.000001"])
    expect(addressed({ thread_ts: "1.000001", text: "<@U2> you" }, true)).toEqual([false, "1.000001"])
  })

  it("has files by their kinds", () => {
    const files = [
      { id: "F1", mimetype: "image/png", name: "a.png", size: 3 },
      { id: "F2", mimetype: "audio/mp4", subtype: "slack_audio" },
      { id: "F3" }
    ]
    expect(received({ ...ann, subtype: "file_share", files })).toMatchObject({
      message: { attachments: [{ kind: "image", fileId: "F1", bytes: 3 }, { kind: "voice" }, { kind: "document" }] }
    })
  })

  it("tells of changes and deletions of people, and that the bot left", () => {
    const before = { user: "U1", text: "a", ts: "1.000001" }
    expect(
      received({ subtype: "message_changed", message: { ...before, text: "b" }, previous_message: before })
    ).toMatchObject({
      _tag: "Edited",
      messageId: "1.000001",
      text: "b"
    })
    const deleted = received({ subtype: "message_deleted", deleted_ts: "1.000001", previous_message: before })
    expect(deleted).toMatchObject({ _tag: "Edited", messageId: "1.000001" })
    expect(deleted).not.toHaveProperty("text")
    expect(received({ type: "member_left_channel", user: "UBOT" })?._tag).toBe("Left")
    expect(received({ type: "member_left_channel", user: "U1" })).toBeUndefined()
    expect(received({ type: "channel_archive" })?._tag).toBe("Left")
  })
})
