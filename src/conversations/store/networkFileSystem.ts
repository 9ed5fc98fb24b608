/** Detects shared file systems, where SQLite's locks are unreliable. Linux only: elsewhere the numbers differ. */
import { readFileSync, realpathSync, statfsSync } from "node:fs"
import { Context, Effect } from "effect"
import { refused } from "./directory.ts"

/** The numbers of `statfs`, from `linux/magic.h` and the sources of Lustre, GPFS and VirtualBox. */
const names: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4266872130: "SMB",
  4283649346: "CIFS",
  16914839: "9P",
  12805120: "Ceph",
  18225520: "GFS2",
  19993000: "IBRIX",
  198183888: "Lustre",
  1196443219: "GPFS",
  1397113167: "AFS",
  1799439955: "AFS",
  1952539503: "OCFS2",
  1937076805: "Coda",
  22092: "NCP",
  2020557398: "a shared folder of VirtualBox"
}

const fuse = 0x65735546
const fuseOverNetwork =
  /^fuse\.(?:sshfs|s3fs|rclone|gcsfuse|goofys|glusterfs|ceph.*|curlftpfs|davfs.*|.*nfs.*|.*smb.*)$/

/** The type of the mount that a path lies on, from the lines of `/proc/self/mountinfo`. */
export const mountTypeOf = (mounts: string, path: string): string | undefined => {
  const found = mounts.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ")
    const point = (before.split(" ")[4] ?? "").replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8))
    )
    const type = after.split(" ")[0]
    const holds = point === "/" || path === point || path.startsWith(`${point}/`)
    return point !== "" && type !== undefined && holds ? [{ point, type }] : []
  })
  return found.reduce<(typeof found)[number] | undefined>(
    (longest, each) => (longest !== undefined && longest.point.length > each.point.length ? longest : each),
    undefined
  )?.type
}

/** Its name; undefined for a file system of this machine. */
export const networkNameOf = (number: number, mountType: () => string | undefined): string | undefined => {
  if (number !== fuse) return names[number]
  const type = mountType() ?? ""
  return fuseOverNetwork.test(type) ? type : undefined
}

const find = (directory: string): string | undefined => {
  if (process.platform !== "linux") return undefined
  const mounts = () => mountTypeOf(readFileSync("/proc/self/mountinfo", "utf8"), realpathSync(directory))
  return networkNameOf(statfsSync(directory).type, mounts)
}

/** Throws an error of the system. */
export const NetworkFileSystem = Context.Reference<(directory: string) => string | undefined>(
  "reins/NetworkFileSystem",
  { defaultValue: () => find }
)

export const checkFileSystem = Effect.fnUntraced(function* (directory: string) {
  const name = (yield* NetworkFileSystem)(directory)
  if (name === undefined) return
  const problem = `lies on a network file system (${name}), where a database of several machines is damaged sooner or later`
  const cure =
    "Use a directory of this machine, or PostgreSQL; `allowNetworkFileSystem` where one machine alone uses it."
  return yield* refused(directory, problem, cure)
})
