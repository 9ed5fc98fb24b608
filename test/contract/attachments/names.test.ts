/** Attachments of any name reach every CLI: names are well-formed, and none throws in a plan or a dialogue. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { acp } from "../../../src/cli/acp/index.ts"
import { blockOf } from "../../../src/cli/acp/live/turn.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import { isAction, type Live, type Output } from "../../../src/cli/Live.ts"
import type { LoadedAttachment } from "../../../src/contract/Attachment.ts"
import { checkAttachment, nameOf } from "../../../src/contract/attachments/checkAttachment.ts"
import * as files from "../../kit/attachments.ts"
import { everyCli } from "../../kit/clis.ts"
import { runs } from "../../kit/runs.ts"

const context = { env: {}, workingDirectory: "/project", privateDirectory: "/private" }

const bytesOf = { image: files.png(), pdf: files.pdf, text: files.text, audio: files.wav }

/** One of each kind that the CLI takes, by name and by path. */
const attachmentsOf = ({ attachments: kinds = new Set() }: Cli, name: string): ReadonlyArray<LoadedAttachment> =>
  [...kinds].flatMap((kind, index) =>
    [{ name }, { path: `/project/${name}` }].map((source) =>
      // With its type, since the ending of the name may be that of another kind.
      Result.getOrThrow(checkAttachment({ place: index + 1, bytes: bytesOf[kind], ...source, ...typeOf[kind] }))
    )
  )

const typeOf = {
  image: { mediaType: "image/png" },
  pdf: { mediaType: "application/pdf" },
  text: { mediaType: "text/plain" },
  audio: { mediaType: "audio/wav" }
}

const writtenIn = (outputs: ReadonlyArray<Output>) =>
  outputs.flatMap((output) => (isAction(output) && output._tag === "Write" ? [output.json] : []))

/** Answers to the first lines, for every CLI. */
const answerTo = (line: unknown) => {
  const { id, request_id } = line as { readonly id?: unknown; readonly request_id?: unknown } // what dialogues write
  if (request_id !== undefined) return { type: "control_response", response: { subtype: "success", request_id } }
  const promptCapabilities = { image: true, audio: true, embeddedContext: true }
  const agent = { protocolVersion: 1, agentCapabilities: { promptCapabilities }, sessionId: "S" }
  return { jsonrpc: "2.0", id, result: { ...agent, thread: { id: "T" }, cwd: "/project" } }
}

const opened = (live: Live) => {
  const dialogue = live.dialogue({}, context)
  let outputs = dialogue.open()
  for (let round = 0; round < 5 && !outputs.some((one) => isAction(one) && one._tag === "Opened"); round++) {
    outputs = writtenIn(outputs).flatMap((line) => dialogue.push(answerTo(line)))
  }
  return dialogue
}

const Unit = Schema.Union([
  Schema.Literals([0xd83d, 0xde00, 0xdfff, 0x2f, 0x25, 0x2e, 0x22, 0x202e, 0x0a]),
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
])
/** Long enough for a cut at any place. */
const Letters = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 205 }))

describe.each(Object.entries({ ...everyCli, acp: acp("acp", "agent") }))("%s", (_, cli) => {
  it.prop(
    "any name goes with a run and with a turn",
    [Letters, Schema.Array(Unit)],
    ([count, units]) => {
      const name = "a".repeat(count) + String.fromCharCode(...units)
      const attachments = attachmentsOf(cli, name)
      for (const one of attachments) {
        assert.isTrue(one.name.isWellFormed() && one.name.length > 0 && one.name.length <= 200)
        assert.isString(JSON.stringify(blockOf(one)))
      }
      cli.plan({ prompt: "go" }, {}, { ...context, attachments })
      if (cli.live === undefined || attachments.length === 0) return
      const [line] = writtenIn(opened(cli.live).turn("go", { attachments }))
      assert.isDefined(line)
      assert.isFalse(/\\ud[89a-f]/i.test(JSON.stringify(line)))
    },
    runs(100)
  )
})

describe("a name", () => {
  const emoji = "😀".repeat(10)

  it("is cut between characters", () => {
    assert.strictEqual(nameOf({ place: 1, name: `${"a".repeat(198)}${emoji}.txt` }), `${"a".repeat(198)}…`)
    assert.strictEqual(nameOf({ place: 1, name: `${"a".repeat(197)}${emoji}.txt` }), `${"a".repeat(197)}😀…`)
  })

  it("with half a character in its path has a URI", () => {
    const loaded = Result.getOrThrow(checkAttachment({ place: 1, bytes: files.pdf, path: "/a b/\ud83d.pdf" }))
    assert.include(JSON.stringify(blockOf(loaded)), '"uri":"file:///a%20b/%EF%BF%BD.pdf"')
  })
})
