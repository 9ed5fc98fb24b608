/** Reactions of `reins serve` to mistakes, before it serves anything; and to a configuration that changes. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { certificateProblems } from "../../../src/program/serve/tls.ts"
import { chatOf, logOf, makeRoom, type Room, runProgram, runServe, saying, script, startServe } from "./room.ts"

const rooms: Array<Room> = []
const hosts: Array<Awaited<ReturnType<typeof startServe>>> = []

afterEach(() => {
  for (const { child } of hosts.splice(0)) child.kill("SIGKILL")
  for (const { remove } of rooms.splice(0)) remove()
})

const roomOf = (options?: Parameters<typeof makeRoom>[0]) => {
  const room = makeRoom(options)
  rooms.push(room)
  return room
}

const started = async (room: Room, args?: ReadonlyArray<string>) => {
  const host = await startServe(room, args)
  hosts.push(host)
  return host
}

/** Ends by itself; the one line of its log. */
const refusal = async (room: Room, ...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runServe(room, args).ended
  expect(stdout).toBe("")
  expect(logOf(stderr).map(({ level }) => level)).toEqual(["error"])
  return { code, message: logOf(stderr)[0]?.message ?? "" }
}

describe("a configuration that is not valid", () => {
  it.each([
    ['whilebusy = "queue"', /:1: unknown key "whilebusy"; did you mean "whileBusy"\?/],
    ['[web]\nport = "80"', /:2: web\.port is not a port/],
    ['[web]\ntitle = "a\\u001b[2J"', /:2: web\.title has control or invisible characters/],
    ["[web]\nallowRemote = true", /:2: web\.allowRemote needs web\.tls/],
    ['[web]\nhost = "0.0.0.0"', /:2: web\.host lets other machines in: add allowRemote = true, with web\.tls/]
  ])("%s", async (config, expected) => {
    const { code, message } = await refusal(roomOf({ config }))
    expect(code).toBe(2)
    expect(message).toMatch(expected)
  })

  it("that others can write", async () => {
    const room = roomOf()
    chmodSync(room.config, 0o666)
    expect(await refusal(room)).toEqual({
      code: 2,
      message: expect.stringContaining("can be written by others: chmod")
    })
  })

  it("that is a directory, or is not there", async () => {
    const room = roomOf()
    expect((await refusal(room, "--config", room.work)).message).toContain("is not a regular file")
    expect((await refusal(room, "--config", join(room.root, "none.toml"))).message).toContain("does not exist")
  })
})

describe("a command line that is not valid", () => {
  it.each([
    [["--web=eighty"], /--web="eighty": a port is a number/],
    [["--web=65536"], /--web="65536": a port is a number/],
    [["--host", "0.0.0.0"], /--host "0\.0\.0\.0" lets other machines in/]
  ])("%s", async (args, expected) => {
    const { code, message } = await refusal(roomOf(), ...args)
    expect(code).toBe(2)
    expect(message).toMatch(expected)
  })
})

it.skipIf(!existsSync("/proc/self"))("a store where no directory can be made", async () => {
  const room = roomOf({ config: 'store = { directory = "/proc/x" }' })
  const { code, message } = await refusal(room, "--web=0")
  expect(code).toBe(1)
  expect(message).toMatch(/^The store \/proc\/x cannot be used: .*\. Make it your own/)
})

it("a store that cannot be made", async () => {
  const room = roomOf({ config: '[store]\ndirectory = "/dev/null/store"' })
  const { code, message } = await refusal(room, "--web=0")
  expect(code).toBe(1)
  expect(message).toContain("/dev/null/store cannot be used")
})

it("an address that is not of this machine", async () => {
  const room = roomOf()
  const { code, message } = await refusal(room, "--web=0", "--host", "127.300.1.1")
  expect(code).toBe(1)
  expect(message).toContain("The page cannot listen at 127.300.1.1")
})

it("a reins.toml of the working directory is not read, which is told", async () => {
  const room = roomOf()
  writeFileSync(join(room.work, "reins.toml"), 'agent = "codex"\n[agents.claude]\ncommand = "/bin/false"\n')
  const { printing } = await started(room)
  await printing("stderr", /work\/reins\.toml is not read: files of a working directory can be anybody's/)
  await printing("stderr", /claude answers in/)
})

it("a port that is taken is given up for the next one, unless it was named", async () => {
  const room = roomOf()
  const other = createServer()
  await new Promise<void>((resolve) => void other.listen(7346, "127.0.0.1", resolve).once("error", () => resolve()))
  try {
    const { page, printing } = await started(room, [])
    expect(Number(new URL(page.base).port)).toBeGreaterThan(7346)
    await printing("stderr", /Port 7346 is in use: the page is at port 73\d\d instead/)
  } finally {
    other.close()
  }
})

describe("TLS", () => {
  const withTls = (room: Room) => {
    const [cert, key] = [join(room.root, "cert.pem"), join(room.root, "key.pem")]
    const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...name], { stdio: "ignore" })
    chmodSync(key, 0o600)
    writeFileSync(
      room.config,
      `[web]\nallowRemote = true\nhosts = ["localhost"]\ntls = { cert = "${cert}", key = "${key}" }\n`
    )
    return { cert, key }
  }

  it("serves the page, with a key that only the user can read", async () => {
    const room = roomOf()
    const { cert, key } = withTls(room)
    const { page } = await started(room)
    expect(page.base).toMatch(/^https:/)
    const read = `fetch("${page.base}/state").then((r) => console.log(r.status))`
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert }
    expect(String(execFileSync(process.execPath, ["-e", read], { env }))).toBe("401\n")
    chmodSync(key, 0o644)
    const { code, message } = await refusal(room, "--web=0", "--config", room.config)
    expect(code).toBe(1)
    expect(message).toMatch(/web\.tls\.key: .*key\.pem can be read by others: chmod 600/)
  })

  it("of other names, or whose time is over, is reported at the start, and fails the doctor", () => {
    const { cert } = withTls(roomOf())
    const pem = readFileSync(cert, "utf8")
    const day = 24 * 60 * 60_000
    const on = (hosts: ReadonlyArray<string>, inDays = 0) => certificateProblems(pem, hosts, Date.now() + inDays * day)
    expect(on(["127.0.0.1", "127.0.0.1:8443"])).toEqual([])
    expect(on(["agents.example"])).toEqual(["the certificate is not for agents.example, which web.hosts names"])
    expect(on([], 3)).toEqual([expect.stringMatching(/^the certificate expired on \d{4}-\d\d-\d\d: renew it$/)])
    expect(on([], -3)).toEqual([expect.stringMatching(/^the certificate is valid from /)])
  })

  it("an invalid file", async () => {
    const room = roomOf()
    const { cert } = withTls(room)
    writeFileSync(cert, "rubbish")
    expect((await refusal(room, "--web=0")).message).toMatch(
      /cert\.pem and .*key\.pem are not a certificate and its key/
    )
  })
})

it("a key of the page that others can read is not used", async () => {
  const room = roomOf()
  const first = await started(room)
  first.child.kill("SIGTERM")
  await first.ended
  const file = join(room.root, "state/reins/web-key")
  expect(readFileSync(file, "utf8").trim()).toBe(first.page.key)
  chmodSync(file, 0o644)
  const second = await started(room)
  expect(second.page.key).not.toBe(first.page.key)
  await second.printing("stderr", /for this start alone.*is not a file of yours alone: remove it/)
})

describe("a configuration that is read again", () => {
  it("counts from the next turn on, and says what needs a restart", async () => {
    const room = roomOf()
    const { child, page, printing, ended } = await started(room)
    const chat = chatOf(page)
    await chat.say(script({ ask: { id: "a", command: "make" } }, { await: 1 }, { say: "made;" }))
    await chat.shows(/"permission_request"/)
    writeFileSync(room.config, '[approvals]\nallow = ["command(make)"]\n[web]\nport = 7399\n')
    child.kill("SIGHUP")
    await printing(
      "stderr",
      /The configuration was read again\. It counts from the next turn on: approvals; after a restart alone: web\./
    )
    const other = chatOf(page)
    await other.say(script({ ask: { id: "b", command: "make" } }, { await: 1 }, { say: "made;" }))
    await other.shows(saying("made;"))
    writeFileSync(room.config, "[approvals]\nalow = []\n")
    child.kill("SIGHUP")
    await printing("stderr", /not valid, and nothing has changed: .*:2: unknown key .*did you mean \\"allow\\"/)
    writeFileSync(room.config, '[approvals]\nallow = ["command(make)"]\n')
    child.kill("SIGHUP")
    await printing("stderr", /The configuration was read again: nothing has changed/)
    await chat.say("/stop")
    await chat.shows(/Stopped\./)
    child.kill("SIGTERM")
    expect((await ended).code).toBe(0)
  })

  it("in another directory", async () => {
    const room = roomOf()
    const { child, page, printing } = await started(room)
    const shop = join(room.root, "shop")
    mkdirSync(shop)
    writeFileSync(room.config, `directory = "shop"\n[directories.shop]\npath = "${shop}"\n`)
    child.kill("SIGHUP")
    await printing("stderr", /from the next turn on: directories, directory\./)
    const chat = chatOf(page)
    await chat.say("/dir")
    await chat.shows(/Directory: shop/)
  })
})

describe("reins doctor", () => {
  const doctor = async (room: Room) => {
    const { code, stdout } = await runProgram(room, ["doctor"]).ended
    return { code, stdout }
  }

  it("says that a host can start, and names all that keeps it from that", async () => {
    const room = roomOf()
    expect((await doctor(room)).stdout).toContain("✓ serve     can start")
    const { page, child } = await started(room)
    const { port } = new URL(page.base)
    writeFileSync(room.config, `[web]\nport = ${port}\n`)
    expect((await doctor(room)).stdout).toContain("✓ serve     can start")
    child.kill("SIGKILL")
    const other = createServer()
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve))
    const taken = (other.address() as AddressInfo).port
    const cert = join(room.root, "none.pem")
    writeFileSync(room.config, `[web]\nport = ${taken}\ntls = { cert = "${cert}", key = "${cert}" }\n`)
    const { code, stdout } = await doctor(room)
    other.close()
    expect(code).toBe(1)
    expect(stdout).toMatch(
      new RegExp(`✗ web       cannot be served\n  problem   web\\.tls\\.cert: .*\n.*\n  problem   port ${taken} of 127`)
    )
    expect(stdout).toMatch(/✗ serve {5}cannot start\n {2}problem {3}web cannot be served/)
    expect(stdout).toMatch(/Failed: .*serve\./)
  })
})
