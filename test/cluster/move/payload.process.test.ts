/** Payloads in the store: the same comes out, and never a changed or foreign one. */

import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { limits, type Packed } from "../../../src/cluster/move/packed.ts"
import { blobName, decodePacked, encodePacked, readManifest } from "../../../src/cluster/move/payload.ts"
import { claudeId, claudePacked, codexId, opencodeId } from "./kit.ts"

const moveId = "0b2b3a52-61c5-4b0c-8a1a-6f3b0e6a9d11"

const encoded = async (packed: Packed) => {
  const { manifest, blobs } = await encodePacked(packed, moveId)
  const held = new Map(blobs.map(({ hash, bytes }) => [hash, bytes]))
  const decode = async (text: string) => {
    const read = readManifest(text)
    return read && (await decodePacked(read, async (digest) => held.get(blobName(moveId, digest))))
  }
  return { manifest, held, decode }
}

const random = (size: number, seed: number) => {
  const bytes = new Uint8Array(size)
  let state = seed
  for (let at = 0; at < size; at++) {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

it.each([0, 1, 4 * 1024 * 1024 - 1, 4 * 1024 * 1024, 4 * 1024 * 1024 + 1, 9 * 1024 * 1024])(
  "a file of %i bytes comes out as it went in",
  async (size) => {
    const packed = claudePacked({ own: random(size, size + 1) })
    const { manifest, decode } = await encoded(packed)
    const read = await decode(manifest)
    expect(read?.files.map(({ path }) => path)).toEqual(packed.files.map(({ path }) => path))
    const isSame = read?.files.every(
      ({ bytes }, index) => Buffer.compare(bytes, packed.files[index]?.bytes ?? bytes.subarray(1)) === 0
    )
    expect(isSame).toBe(true)
    expect({ ...read, files: [] }).toEqual({ ...packed, files: [] })
  }
)

it("a blob belongs to one move alone", async () => {
  const [one, other] = await Promise.all(
    [moveId, moveId.replace("0", "1")].map((id) => encodePacked(claudePacked({}), id))
  )
  expect(one?.blobs.some(({ hash }) => other?.blobs.some((blob) => blob.hash === hash))).toBe(false)
})

describe("refuses a damaged payload", () => {
  it("by any bit of a blob", async () => {
    const { manifest, held, decode } = await encoded(claudePacked({ own: random(5_000, 7) }))
    expect(await decode(manifest)).toBeDefined()
    for (const [hash, bytes] of [...held]) {
      for (let at = 0; at < bytes.length; at += 97) {
        const changed = Uint8Array.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        held.set(hash, changed)
        expect(await decode(manifest)).toBeUndefined()
      }
      held.delete(hash)
      expect(await decode(manifest)).toBeUndefined()
      held.set(hash, bytes)
    }
  })

  it("by a small blob that becomes a large one", async () => {
    const { manifest, held, decode } = await encoded(claudePacked({ own: random(100, 3) }))
    const bomb = gzipSync(new Uint8Array(256 * 1024 * 1024))
    const digest = createHash("sha256").update(bomb).digest("hex")
    const list = JSON.parse(manifest)
    list.files[0].pieces = [digest]
    held.set(blobName(moveId, digest), bomb)
    const before = process.memoryUsage().rss
    expect(await decode(JSON.stringify(list))).toBeUndefined()
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  })

  it.each([
    ["a size", { size: 3 }],
    ["a size that no session has", { size: limits.totalBytes + 1 }],
    ["a negative size", { size: -1 }],
    ["a digest", { sha256: "0".repeat(64) }],
    ["a piece more", { pieces: ["0".repeat(64), "0".repeat(64)] }],
    ["no pieces", { pieces: [] }],
    ["a path", { path: "../../.ssh/authorized_keys" }]
  ])("by %s", async (_, change) => {
    const { manifest, decode } = await encoded(claudePacked({ own: random(100, 3) }))
    const list = JSON.parse(manifest)
    Object.assign(list.files[0], change)
    expect(await decode(JSON.stringify(list))).toBeUndefined()
  })

  it.each(["", "null", "[]", "{", '{"form":2}', "x".repeat(1_000_000), "[".repeat(100_000)])("%.20s", (text) => {
    expect(readManifest(text)).toBeUndefined()
  })
})

describe("paths of strangers", () => {
  const manifestOf = async (cli: Packed["cli"], sessionId: string, paths: ReadonlyArray<string>) => {
    const files = paths.map((path) => ({ path, bytes: new Uint8Array() }))
    return readManifest((await encodePacked({ cli, sessionId, directory: "/work", files }, moveId)).manifest)
  }

  const claudeOwn = `projects/-work/${claudeId}.jsonl`
  const codexOwn = `sessions/2026/11/26/rollout-2026-11-26T00-14-01-${codexId}.jsonl`
  const codexBase = `sessions/2026/11/25/rollout-2026-11-25T00-14-01-${codexId.replace("0", "1")}.jsonl`

  it.each([
    ["claude", claudeId, [claudeOwn]],
    ["claude", claudeId, [claudeOwn, `projects/-work/${claudeId}/subagents/agent-a1.jsonl`]],
    ["claude", claudeId, [claudeOwn, `projects/-work/${claudeId}/tool-results/byn7rwm7x.txt`]],
    ["codex", codexId, [codexOwn]],
    ["codex", codexId, [codexOwn, codexBase]],
    ["codex", codexId, [`archived_sessions/rollout-2026-11-26T00-14-01-${codexId}.jsonl`]],
    ["opencode", opencodeId, ["session.json"]]
  ] as const)("%s %s %j", async (cli, id, paths) => {
    expect(await manifestOf(cli, id, paths)).toBeDefined()
  })

  it.each([
    ["claude", claudeId, []],
    ["claude", claudeId, [`${claudeOwn}/..`]],
    ["claude", claudeId, [`/${claudeOwn}`]],
    ["claude", claudeId, [`projects/../${claudeId}.jsonl`]],
    ["claude", claudeId, [`projects/-work/../${claudeId}.jsonl`]],
    ["claude", claudeId, [`projects//${claudeId}.jsonl`]],
    ["claude", claudeId, [`projects/-work/${claudeId}.jsonl\0`]],
    ["claude", claudeId, [`projects/-work/${claudeId}.jsonl\n`]],
    ["claude", claudeId, [`projects\\-work\\${claudeId}.jsonl`]],
    ["claude", claudeId, [claudeOwn, claudeOwn]],
    ["claude", claudeId, [claudeOwn, `projects/-other/${claudeId}.jsonl`]],
    ["claude", claudeId, [claudeOwn, `projects/-work/${codexId}/subagents/agent-a1.jsonl`]],
    ["claude", claudeId, [claudeOwn, `projects/-work/${claudeId}/subagents/../../../../settings.json`]],
    ["claude", claudeId, [claudeOwn, `projects/-work/${claudeId}/subagents/.hidden`]],
    ["claude", claudeId, [claudeOwn, `projects/-work/${claudeId}/subagents/a`, `projects/-x/${claudeId}/subagents/A`]],
    ["claude", claudeId, [claudeOwn, "settings.json"]],
    ["claude", claudeId, [claudeOwn, ".credentials.json"]],
    ["claude", "../../x", ["projects/-work/../../x.jsonl"]],
    ["claude", claudeId.toUpperCase(), [`projects/-work/${claudeId.toUpperCase()}.jsonl`]],
    ["codex", codexId, [codexBase]],
    ["codex", codexId, [codexOwn, "config.toml"]],
    ["codex", codexId, [codexOwn, "auth.json"]],
    ["codex", codexId, [codexOwn, codexOwn.replace("/11/26", "/11/25")]],
    ["opencode", opencodeId, ["session.json", "opencode.db"]],
    ["opencode", opencodeId, ["opencode.db"]],
    ["opencode", "ses_../../../x", ["session.json"]]
  ] as const)("refuses %s %s %j", async (cli, id, paths) => {
    expect(await manifestOf(cli, id, paths)).toBeUndefined()
  })

  it("are at most 64, of 64 MiB in all", async () => {
    const { manifest } = await encodePacked(claudePacked({}), moveId)
    const list = JSON.parse(manifest)
    const sized = (size: number) =>
      JSON.stringify({
        ...list,
        files: [
          { ...list.files[0], size },
          { ...list.files[1], size: 1 }
        ]
      })
    const many = (count: number) => {
      const path = `projects/-work/${claudeId}/subagents/agent-`
      const parts = Array.from({ length: count - 1 }, (_, index) => ({ ...list.files[1], path: `${path}${index}` }))
      return JSON.stringify({ ...list, files: [list.files[0], ...parts] })
    }
    expect(readManifest(many(limits.files))).toBeDefined()
    expect(readManifest(many(limits.files + 1))).toBeUndefined()
    expect(readManifest(sized(limits.totalBytes - 1))).toBeDefined()
    expect(readManifest(sized(limits.totalBytes))).toBeUndefined()
  })
})
