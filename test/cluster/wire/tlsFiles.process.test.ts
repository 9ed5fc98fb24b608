/** The files of TLS are read only if no other user can read or replace them, and only in their own form. */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readTlsFiles } from "../../../src/cluster/wire/tlsFiles.ts"
import { authority, directory } from "./authority.ts"

const root = directory()
afterAll(() => rmSync(root, { recursive: true }))

const { sign } = authority(root, "ours")
const own = sign("a", "DNS:home-a")
const other = sign("b", "DNS:home-b")
const old = sign("old", "DNS:home-a", 0)

const reading = (files: typeof own) =>
  Effect.map(Effect.flip(readTlsFiles(files, "home-a", Date.now() + 1)), ({ flag, problem, cure, message }) => {
    expect(message).not.toContain("PRIVATE")
    return `${flag} ${problem}: ${cure}`
  })

const made = (name: string, text: string, mode = 0o600) => {
  const file = join(root, name)
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

const openDirectory = () => {
  const open = join(root, "open")
  mkdirSync(open)
  const key = join(open, "key")
  renameSync(sign("c", "DNS:home-a").key, key)
  chmodSync(open, 0o777)
  return key
}

describe("files of TLS", () => {
  it.live("that only their owner can read are read, by a link, too", () =>
    Effect.gen(function* () {
      const link = join(root, "link")
      symlinkSync(own.key, link)
      const read = yield* readTlsFiles({ ...own, key: link }, "home-a", Date.now())
      expect([read.cert.includes("CERTIFICATE"), read.key.includes("PRIVATE KEY")]).toEqual([true, true])
    })
  )

  it.live.each<readonly [name: string, files: () => typeof own, content: RegExp]>([
    [
      "a key for a group",
      () => ({ ...own, key: made("group", "x", 0o640) }),
      /--tls-key can be read by others: chmod 600 /
    ],
    [
      "an authority for all",
      () => ({ ...own, ca: made("all", "x", 0o644) }),
      /--tls-ca can be read by others: chmod 600 /
    ],
    [
      "a key where others can write",
      () => ({ ...own, key: openDirectory() }),
      /--tls-key is in a directory .*: chmod go-w /
    ],
    [
      "a certificate of another authority",
      () => ({ ...own, ca: authority(root, "theirs").sign("t", "DNS:t").ca }),
      /--tls-cert is not signed by the authority of .*: have it signed by the one that all homes/
    ],
    [
      "none",
      () => ({ ...own, cert: join(root, "none") }),
      /--tls-cert cannot be read, no such file or directory \(ENOENT\)/
    ],
    ["a directory", () => ({ ...own, key: directoryOf() }), /--tls-key is not a regular file/],
    ["no certificate", () => ({ ...own, cert: made("words", "words") }), /--tls-cert has no certificate/],
    ["no authority", () => ({ ...own, ca: made("words", "words") }), /--tls-ca has no certificate/],
    ["another's key", () => ({ ...own, key: other.key }), /--tls-key is not the key of /],
    ["the certificate of another home", () => other, /--tls-cert is not of the home home-a: .*DNS:home-a/],
    ["a certificate whose time is over", () => old, /--tls-cert has expired: have a new one signed/]
  ])("are refused with what to do: %s", ([_name, files, content]) =>
    Effect.map(reading(files()), (refusal) => expect(refusal).toMatch(content))
  )
})

const directoryOf = () => {
  const path = join(root, "directory")
  mkdirSync(path, { mode: 0o700 })
  return path
}
