/** The bytes of an attachment decide its kind: its name and the claims of its caller have to agree. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  type AttachmentFacts,
  checkAttachment,
  kindProblem,
  nameOf,
  pixelsOf
} from "../../../src/contract/attachments/checkAttachment.ts"
import * as files from "../../kit/attachments.ts"
import { runs } from "../../kit/runs.ts"

const bytesOf = (content: string) => new TextEncoder().encode(content)

const checked = (facts: Partial<AttachmentFacts> & Pick<AttachmentFacts, "bytes">) =>
  checkAttachment({ place: 1, ...facts })

const loaded = (facts: Parameters<typeof checked>[0]) => Result.getOrThrow(checked(facts))

const problemOf = (facts: Parameters<typeof checked>[0]) => {
  const result = checked(facts)
  return Result.isFailure(result) ? result.failure : undefined
}

const known = [
  ["png", files.png(), "image", "image/png"],
  ["jpg", files.jpeg, "image", "image/jpeg"],
  ["gif", files.gif, "image", "image/gif"],
  ["webp", files.webp, "image", "image/webp"],
  ["pdf", files.pdf, "pdf", "application/pdf"],
  ["wav", files.wav, "audio", "audio/wav"],
  ["mp3", Uint8Array.of(0xff, 0xfb, 0x90, 0x00, 0), "audio", "audio/mpeg"],
  ["mp3", bytesOf("ID3\u0003\u0000"), "audio", "audio/mpeg"],
  ["txt", files.text, "text", "text/plain"]
] as const

describe("the kind of an attachment", () => {
  it.each(known)("%s: by its bytes", (ending, bytes, kind, mediaType) => {
    assert.include(loaded({ bytes }), { kind, mediaType, name: `attachment-1.${ending}` })
    assert.include(loaded({ bytes, path: "/a/file" }), { kind, name: "file", path: "/a/file" })
    assert.isTrue(Result.isSuccess(checked({ bytes, mediaType: `${mediaType.toUpperCase()}; x=y` })))
  })

  it("refuses a media type of another kind, and keeps one of text", () => {
    for (const [, bytes, , mediaType] of known) {
      for (const [, , , other] of known.filter(([, , , type]) => type !== mediaType)) {
        assert.include(problemOf({ bytes, mediaType: other }) ?? "", "its bytes are")
      }
    }
    assert.include(loaded({ bytes: files.text, mediaType: "application/json" }), { mediaType: "application/json" })
    assert.include(loaded({ bytes: bytesOf("<svg/>"), mediaType: "image/svg+xml" }), { kind: "text" })
    assert.include(loaded({ bytes: files.jpeg, mediaType: "image/jpg" }), { mediaType: "image/jpeg" })
  })

  it.each([
    [{ bytes: new Uint8Array(), path: "/a/a.png" }, "is empty"],
    [{ bytes: files.text, path: "/a/a.png" }, "is not what its name says: its bytes are text"],
    [{ bytes: files.text, name: "a.PDF" }, "is not what its name says"],
    [{ bytes: files.pdf, name: "a.png" }, "its bytes are application/pdf"],
    [{ bytes: Uint8Array.of(1, 0, 2) }, "binary file of a format that cannot be attached"],
    [{ bytes: Uint8Array.of(0xff, 0xfe, 0x41) }, "binary file"],
    [{ bytes: files.text, mediaType: "video/mp4" }, 'has the media type "video/mp4", which cannot be attached'],
    [{ bytes: files.png().slice(0, 20) }, "damaged image"],
    [{ bytes: files.jpeg.slice(0, 30) }, "damaged image"],
    [{ bytes: files.webp.slice(0, 22) }, "damaged image"],
    [{ bytes: files.png(0, 5) }, "damaged image"],
    [{ bytes: files.png(10_000, 5_001, [0, 0, 0], false) }, "has 50010000 pixels; at most 50000000"]
  ])("%j is refused", (facts, problem) => assert.include(problemOf(facts) ?? "", problem))

  it("takes an image with the ending of another image format", () => {
    assert.include(loaded({ bytes: files.jpeg, name: "photo.png" }), { mediaType: "image/jpeg" })
    assert.strictEqual(loaded({ bytes: files.jpeg, name: "photo.png" }).fileName, "01-photo.png.jpg")
  })

  it("gives a text an ending of text files", () => {
    const fileNames = ["main.ts", "README", "notes.bmp", "film.mp4", "a.tar", "data.JSON"].map(
      (name) => loaded({ bytes: files.text, name }).fileName
    )
    assert.deepStrictEqual(fileNames, [
      "01-main.ts",
      "01-README.txt",
      "01-notes.bmp.txt",
      "01-film.mp4.txt",
      "01-a.tar.txt",
      "01-data.JSON"
    ])
  })

  it.each([
    ["text/markdown", "text/markdown"],
    ["text/vnd.some-thing_1.0+x; charset=utf-8", "text/vnd.some-thing_1.0+x"],
    ["model/gltf+json", "model/gltf+json"],
    ["application/vnd.a.b-c+yaml", "application/vnd.a.b-c+yaml"],
    [`text/${"x".repeat(100)}`, `text/${"x".repeat(100)}`],
    [`text/${"x".repeat(101)}`, undefined],
    ["text/x\u202e", undefined],
    ["text/a b", undefined],
    ["text/", undefined],
    ["+json", undefined],
    ["a/\u202e+json", undefined],
    ["a/b\n+xml", undefined],
    [`a/${"x".repeat(101)}+yaml`, undefined],
    [`${"x".repeat(101)}/a+yaml`, undefined]
  ])("the media type of text %j is taken as %j", (mediaType, taken) => {
    const result = checked({ bytes: files.text, mediaType })
    assert.strictEqual(Result.isSuccess(result) ? result.success.mediaType : undefined, taken)
  })

  it("reads the number of pixels from the header", () => {
    const sizes = [files.png(300, 200), files.jpeg, files.gif, files.webp].map((bytes) =>
      pixelsOf(loaded({ bytes }).mediaType, bytes)
    )
    assert.deepStrictEqual(sizes, [60_000, 64, 1, 1])
  })

  const heads = known.map(([, bytes]) => bytes.slice(0, 20))
  const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  const Head = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: heads.length }))

  it.prop(
    "takes or refuses any bytes without an exception",
    [Head, Schema.Array(Byte)],
    ([head, rest]) => {
      const result = checked({ bytes: Uint8Array.from([...(heads[head] ?? []), ...rest]) })
      assert.isTrue(Result.isSuccess(result) || result.failure.length > 0)
    },
    runs(300)
  )
})

const hostile = [
  "a,b.png",
  "two words.png",
  "-rf.png",
  "--image=x.png",
  "new\nline.png",
  "quo\"te'.png",
  "@at.png",
  "$(touch x).png",
  "..",
  ".png",
  "",
  "\u202egnp.exe",
  "ä".repeat(500),
  "a/../../b.png",
  "%s{x}[1]*?~!#&;|<>`\\.png"
]

describe("names", () => {
  it.each(hostile)("%j: a file gets a plain one, in order, with the ending of its type", (name) => {
    const files3 = [2, 11].map((place) =>
      loaded({ bytes: files.png(), place, path: `/w/${name}`, name: name || undefined })
    )
    for (const { fileName } of files3) assert.match(fileName, /^\d\d-[A-Za-z0-9._-]{0,70}\.png$/)
    assert.isFalse(files3.some(({ fileName }) => fileName.includes("..")))
    const [second, eleventh] = files3.map(({ fileName }) => fileName)
    assert.isTrue((second ?? "") < (eleventh ?? ""))
  })

  it("the visible name is one line without invisible characters", () => {
    assert.strictEqual(nameOf({ place: 1, name: "a\nb\u202e\u0000.png" }), "ab.png")
    assert.strictEqual(nameOf({ place: 3, name: "\n" }), "attachment 3")
    assert.strictEqual(nameOf({ place: 1, path: "/x/ö .png" }), "ö .png")
    assert.isAtMost(nameOf({ place: 1, name: "x".repeat(5_000) }).length, 200)
  })
})

describe("a kind that a CLI does not take", () => {
  it("names the kinds that it takes, and a remedy", () => {
    const taken = new Set(["image"] as const)
    assert.strictEqual(
      kindProblem({ path: "/a.pdf" }, taken, "codex"),
      "is of a kind that codex does not take; it takes images (PNG, JPEG, GIF, WebP). " +
        "Instead, name its path in the prompt, for the agent to read it"
    )
    assert.include(kindProblem({}, taken, "codex"), "put its content into the prompt")
  })
})
