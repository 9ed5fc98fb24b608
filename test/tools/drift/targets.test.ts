/** The requested packages, and the version that is meant where none is named. */
import { assert, describe, it } from "vitest"
import { newestOf, parseRequest, releasesOf } from "../../../tools/drift/targets.ts"

const plain = { accept: false, oldest: false, vocabularyOnly: false }

describe("a request", () => {
  it.each([
    [[], { ...plain, wanted: [{ id: "claude" }, { id: "gemini" }, { id: "codex" }, { id: "opencode" }, { id: "pi" }] }],
    [["gemini"], { ...plain, wanted: [{ id: "gemini" }] }],
    [
      ["claude@2.1.236", "--vocabulary-only", "claude@2.1.303"],
      {
        ...plain,
        vocabularyOnly: true,
        wanted: [
          { id: "claude", version: "2.1.236" },
          { id: "claude", version: "2.1.303" }
        ]
      }
    ],
    [
      ["codex@0.1.0-alpha.1", "--accept"],
      { ...plain, accept: true, wanted: [{ id: "codex", version: "0.1.0-alpha.1" }] }
    ],
    [["--oldest", "opencode"], { ...plain, oldest: true, wanted: [{ id: "opencode" }] }]
  ])("%j", (words, request) => assert.deepStrictEqual<unknown>(parseRequest(words), request))

  it.each([
    [["aider"], 'what is "aider"?'],
    [["claude@latest"], 'what is "claude@latest"?'],
    [["claude@1.2.3@4"], 'what is "claude@1.2.3@4"?'],
    [["claude@../../x"], 'what is "claude@../../x"?'],
    [["--acept"], 'what is "--acept"?'],
    [["claude@1.0.0", "claude@1.0.1", "--accept"], "--accept takes one version of a CLI"]
  ])("%j is refused", (words, why) => assert.throws(() => parseRequest(words), why))
})

describe("the newest version", () => {
  const now = Date.parse("2026-11-22T12:00:00Z")
  const published = {
    created: "2026-01-01T00:00:00Z",
    modified: "2026-11-22T11:00:00Z",
    "2.1.9": "2026-11-10T00:00:00Z",
    "2.1.10": "2026-11-09T00:00:00Z",
    "2.1.11": "2026-11-21T12:00:01Z",
    "2.2.0-beta.1": "2026-11-01T00:00:00Z",
    "0.12.0-linux-x64": "2026-11-01T00:00:00Z"
  }

  it("is a release that is older than a day, by number and not by date", () => {
    assert.strictEqual(newestOf(published, now), "2.1.10")
    assert.strictEqual(newestOf(published, now + 1_000), "2.1.11")
  })

  it("is empty without targets", () => assert.isUndefined(newestOf({ created: "2026-01-01T00:00:00Z" }, now)))

  it("is the head of the releases", () => {
    assert.deepStrictEqual(releasesOf(published), ["2.1.11", "2.1.10", "2.1.9"])
  })
})
