// A network namespace that has loopback and nothing else. Outside: finds the `unshare` flags that work here, or says
// why none does. Inside: raises `lo` and makes sure that it is the only interface.
import { spawnSync } from "node:child_process"
import { connect, createServer } from "node:net"
import { networkInterfaces } from "node:os"

type Namespace =
  | { readonly type: "possible"; readonly flags: ReadonlyArray<string> }
  | { readonly type: "impossible"; readonly reasons: ReadonlyArray<string> }

/** With root's rights, then with those of a user namespace. */
const attempts = [["-n"], ["-rn"]]

/** Tries each way by running `probe` (a command that calls `enterLoopback`) inside. */
export const findNamespace = (probe: ReadonlyArray<string>): Namespace => {
  const reasons: Array<string> = []
  for (const flags of attempts) {
    const tried = spawnSync("unshare", [...flags, ...probe], { encoding: "utf8", timeout: 30_000 })
    if (tried.status === 0) return { type: "possible", flags }
    const why = tried.error?.message ?? tried.stderr.trim()
    reasons.push(`unshare ${flags.join(" ")}: ${why === "" ? `status ${tried.status}` : why}`)
  }
  return { type: "impossible", reasons }
}

// SIOCGIFFLAGS 0x8913, SIOCSIFFLAGS 0x8914, IFF_UP | IFF_RUNNING 0x41 (linux/sockios.h, linux/if.h).
const perlScript = `use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or die $!; my $r = pack("a16s@40", "lo", 0x41);
ioctl($s, 0x8914, $r) or die $!`
const pythonScript = `import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh22x", b"lo", 0x41))`

const raisers: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  ["ip", "link", "set", "lo", "up"],
  ["ifconfig", "lo", "up"],
  ["perl", "-e", perlScript],
  ["python3", "-c", pythonScript]
]

const isLoopbackAlive = (): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.end())
    server.on("error", () => resolve(false))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") return resolve(false)
      const socket = connect(address.port, "127.0.0.1")
      const finish = (alive: boolean) => {
        socket.destroy()
        server.close(() => resolve(alive))
      }
      socket.once("connect", () => finish(true))
      socket.once("error", () => finish(false))
    })
  })

/** The interfaces that lead anywhere but back here; empty in the namespace. */
export const outwardInterfaces = (): ReadonlyArray<string> =>
  Object.entries(networkInterfaces())
    .filter(([, addresses]) => addresses?.some((address) => !address.internal))
    .map(([name]) => name)

/** To be called inside: raises `lo`; throws if that fails or if there is any other way out. */
export const enterLoopback = async (): Promise<void> => {
  const outward = outwardInterfaces()
  if (outward.length > 0) throw new Error(`not isolated: ${outward.join(", ")}`)
  for (const [command, ...args] of raisers) {
    if (await isLoopbackAlive()) return
    spawnSync(command, args, { stdio: "ignore" })
  }
  if (!(await isLoopbackAlive())) throw new Error("lo could not be brought up by ip, ifconfig, perl or python3")
}
