/** How each CLI is given attachments: the arguments, stdin and files of a run, and the lines of a live turn. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { genericFlavor } from "../../src/cli/acp/index.ts"
import { acpDialogue } from "../../src/cli/acp/live/dialogue.ts"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { geminiFlavor } from "../../src/cli/gemini/live/flavor.ts"
import { opencodeFlavor } from "../../src/cli/opencode/live/flavor.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import type { LoadedAttachment } from "../../src/contract/Attachment.ts"
import { checkAttachment } from "../../src/contract/attachments/checkAttachment.ts"
import * as files from "../kit/attachments.ts"
import { printed, result } from "./acp/live/talk.ts"
import { opened as openedClaude, writes } from "./claude/live/lines.ts"
import { inTurn, lines, makePeer, refused, turnCompleted } from "./codex/live/peer.ts"

const load = (...input: ReadonlyArray<readonly [string | undefined, Uint8Array]>): ReadonlyArray<LoadedAttachment> =>
  input.map(([path, bytes], index) =>
    Result.getOrThrow(checkAttachment({ place: index + 1, bytes, ...(path === undefined ? {} : { path }) }))
  )

/** Names that a list, a shell or a flag would take apart. */
const images = load(['/project/-a, b@"c"\n.png', files.png()], [undefined, files.jpeg])
const [png = "", jpeg = ""] = images.map(({ bytes }) => Buffer.from(bytes).toString("base64"))
const documents = load(["/elsewhere/dö c.pdf", files.pdf], ["/project/src/main.ts", files.text])
const text = "Ein Gruß an alle.\n"
const pdf = Buffer.from(files.pdf).toString("base64")

const planned = (
  id: CliId,
  attachments: ReadonlyArray<LoadedAttachment>,
  params: Partial<AgentExecuteParams> = {},
  options: AgentOptions = {},
  privateDirectory = "/private"
) =>
  clis[id].plan({ prompt: "what is this", ...params }, options, {
    env: {},
    workingDirectory: "/work",
    privateDirectory,
    attachments
  })

const argumentsOf = (id: CliId, ...rest: Parameters<typeof planned> extends [CliId, ...infer Rest] ? Rest : never) => {
  const { args } = Result.getOrThrow(planned(id, ...rest))
  return args.filter(({ option }) => option === "attachments").map(({ text }) => text)
}

describe("a run", () => {
  it("claude: content blocks in one line on stdin, the text last, also where prompts are arguments", () => {
    for (const options of [{}, { promptVia: "argument" }] as const) {
      const plan = Result.getOrThrow(planned("claude", [...images, ...documents], { prompt: "/what" }, options))
      expect(plan.args.map((each) => each.text)).not.toContain("--")
      expect(plan.attachmentDirectory).toBeUndefined()
      expect(plan.stdin?.endsWith("}\n")).toBe(true)
      expect(plan.stdin?.trim()).not.toContain("\n")
      expect(JSON.parse(plan.stdin ?? "")).toEqual({
        type: "user",
        message: {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
            { type: "image", source: { type: "base64", media_type: "image/jpeg", data: jpeg } },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: pdf },
              title: "dö c.pdf"
            },
            { type: "document", source: { type: "text", media_type: "text/plain", data: text }, title: "main.ts" },
            { type: "text", text: " /what" }
          ]
        }
      })
    }
    expect(argumentsOf("claude", images)).toEqual(["--input-format=stream-json"])
  })

  it("codex: a flag for each copy, without a comma in its name, behind the subcommand", () => {
    const sessionId = "01a1f801-5a3a-7703-8d14-59749c3756b5"
    const plan = Result.getOrThrow(planned("codex", images, { sessionId }))
    const copies = ["--image=/private/images/01-a_b_c_.png", "--image=/private/images/02-attachment-2.jpg"]
    expect(plan.args.map((each) => each.text).slice(-5)).toEqual(["resume", sessionId, ...copies, "-"])
    expect(plan).toMatchObject({ attachmentDirectory: "images", stdin: "what is this" })
    expect(planned("codex", images, {}, {}, "/tmp/a,b")).toMatchObject({ failure: { option: "env TMPDIR" } })
    expect(Result.isSuccess(planned("codex", [], {}, {}, "/tmp/a,b"))).toBe(true)
  })

  it("gemini: a path for each copy behind the prompt, in a directory that is added to the workspace", () => {
    const plan = Result.getOrThrow(planned("gemini", images, { prompt: "/what\\" }, {}, "/tmp/two words(1)"))
    expect(plan.stdin).toBe(
      " /what\\\n\n@/tmp/two\\ words\\(1\\)/attachments/01-a_b_c_.png\n" +
        "@/tmp/two\\ words\\(1\\)/attachments/02-attachment-2.jpg"
    )
    expect(plan.attachmentDirectory).toBe("attachments")
    // No context file of a directory above is read.
    expect(plan.files).toEqual([{ name: "attachments/.git", content: "" }])
    expect(argumentsOf("gemini", images)).toEqual(["--include-directories=/private/attachments"])
    for (const directory of ["/tmp/a,b", "/tmp/a\nb", "/tmp/a*b"]) {
      expect(planned("gemini", images, {}, {}, directory)).toMatchObject({ failure: { option: "env TMPDIR" } })
    }
    const asArgument = Result.getOrThrow(planned("gemini", images, {}, { promptVia: "argument" }))
    expect(asArgument.args.at(-1)?.text).toContain("--prompt=what is this\n\n@/private/attachments/01-")
  })

  it("opencode: a flag for each copy, in front of another flag", () => {
    const plan = Result.getOrThrow(planned("opencode", images, {}, { promptVia: "argument" }))
    const copies = ["--file=/private/attachments/01-a_b_c_.png", "--file=/private/attachments/02-attachment-2.jpg"]
    const args = plan.args.map((each) => each.text)
    const at = args.indexOf(copies[0] ?? "")
    expect(args.slice(at, at + 3)).toEqual([...copies, "--dir=/work"])
    expect(args.slice(-4)).toEqual(["--", "what", "is", "this"])
    expect(plan.attachmentDirectory).toBe("attachments")
  })

  it("pi: an argument for each copy, in front of the flag that would take it for a prompt", () => {
    const plan = Result.getOrThrow(planned("pi", [...images, ...documents.slice(1)]))
    const copies = ["01-a_b_c_.png", "02-attachment-2.jpg", "02-main.ts"].map((name) => `@/private/attachments/${name}`)
    expect(plan.args.map((each) => each.text).slice(-4)).toEqual([...copies, "-p"])
    expect(plan).toMatchObject({ attachmentDirectory: "attachments", stdin: "what is this" })
  })

  it.each(Object.keys(clis) as ReadonlyArray<CliId>)("%s: without attachments nothing of it", (id) => {
    const plan = Result.getOrThrow(planned(id, []))
    expect(argumentsOf(id, [])).toEqual([])
    expect(plan).toMatchObject({ stdin: "what is this" })
    expect(plan.attachmentDirectory).toBeUndefined()
    if (id === "pi") return
    const flag = { claude: "--input-format=text", codex: "-i", gemini: "--include-directories", opencode: "-f" }[id]
    expect(planned(id, [], { extraArgs: [flag] })).toMatchObject({ failure: { option: "extraArgs" } })
  })
})

const session = (flavor = genericFlavor("x"), promptCapabilities: object = {}) => {
  const dialogue = acpDialogue(flavor)({}, { workingDirectory: "/work", privateDirectory: "/private" })
  dialogue.open()
  dialogue.push(result(1, { protocolVersion: 1, agentCapabilities: { promptCapabilities } }))
  dialogue.push(result(2, { sessionId: "s" }))
  return dialogue
}

const allCapabilities = { image: true, audio: true, embeddedContext: true }
const sound = load([undefined, files.wav])

describe("a live turn", () => {
  it("claude: the same blocks, in turns and in texts that join one", () => {
    const dialogue = openedClaude()
    const block = { type: "image", source: { type: "base64", media_type: "image/jpeg", data: jpeg } }
    const content = [block, { type: "text", text: "look" }]
    expect(writes(dialogue.turn("look", { attachments: images.slice(1) }))).toMatchObject([{ message: { content } }])
    expect(writes(dialogue.steer("look", { attachments: images.slice(1) }))).toMatchObject([{ message: { content } }])
    expect(writes(dialogue.steer("text", { attachments: [] }))).toMatchObject([{ message: { content: "text" } }])
  })

  it("codex: data URLs in front of the text, in turns and in texts that join one or come too late for it", () => {
    const blocks = [
      { type: "image", url: `data:image/jpeg;base64,${jpeg}` },
      { type: "text", text: "look", text_elements: [] }
    ]
    const attachments = images.slice(1)
    const peer = makePeer()
    peer.open()
    expect(lines(peer.dialogue.turn("look", { attachments }))).toMatchObject([{ params: { input: blocks } }])
    const running = inTurn("t1")
    const [steer] = lines(running.steer("look", { attachments }))
    expect(steer).toMatchObject({ method: "turn/steer", params: { input: blocks } })
    running.push(turnCompleted("t1"))
    expect(lines(running.push(refused(steer.id, "too late")))).toMatchObject([
      { method: "turn/start", params: { input: blocks } }
    ])
  })

  it.each([
    ["an agent", genericFlavor("x")],
    ["opencode", opencodeFlavor]
  ] as const)("%s: blocks behind the text, documents as resources", (_, flavor) => {
    const dialogue = session(flavor, allCapabilities)
    const outputs = dialogue.turn("look", { attachments: [...images.slice(0, 1), ...sound, ...documents] })
    expect(printed(outputs)[0]?.params).toMatchObject({
      prompt: [
        { type: "text", text: "look" },
        { type: "image", mimeType: "image/png", data: png },
        { type: "audio", mimeType: "audio/wav" },
        {
          type: "resource",
          resource: { uri: "file:///elsewhere/d%C3%B6%20c.pdf", mimeType: "application/pdf", blob: pdf }
        },
        { type: "resource", resource: { uri: "file:///project/src/main.ts", mimeType: "text/plain", text } }
      ]
    })
  })

  it("gemini: no resources, beside which it would drop the images", () => {
    const dialogue = session(geminiFlavor, allCapabilities)
    const outputs = dialogue.turn("/look", { attachments: [...images.slice(0, 1), ...sound, ...documents] })
    expect(printed(outputs)[0]?.params).toMatchObject({
      prompt: [
        { type: "text", text: "\u200B/look" },
        { type: "image", mimeType: "image/png", data: png },
        { type: "image", mimeType: "audio/wav" },
        { type: "image", mimeType: "application/pdf", data: pdf },
        { type: "text", text: `\n\n--- main.ts ---\n${text}` }
      ]
    })
  })

  it.each([
    [images, { audio: true, embeddedContext: true }, '-a, b@"c".png'],
    [sound, { image: true, embeddedContext: true }, "attachment-1.wav"],
    [documents, { image: true, audio: true }, "dö c.pdf"],
    [documents.slice(1), { embeddedContext: false }, "main.ts"],
    [images, {}, '-a, b@"c".png']
  ])("an agent that has not offered to take it is not sent it: %#", (attachments, offered, attachment) => {
    const dialogue = session(genericFlavor("x"), offered)
    const outputs = dialogue.turn("look", { attachments })
    expect(outputs).toMatchObject([
      { _tag: "TurnEnded", verdict: { reason: { _tag: "AttachmentRefused", attachment } } }
    ])
    expect(dialogue.standing()).toBe("resting")
    expect(printed(dialogue.turn("and now"))).toHaveLength(1)
  })
})
