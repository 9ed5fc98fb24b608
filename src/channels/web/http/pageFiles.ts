/** The files of the page: a fixed table, read on first use. Other names are never looked up on the disk. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { packageFile } from "../../../system/process/packageFile.ts"
import { usual } from "./respond.ts"

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  ico: "image/x-icon",
  svg: "image/svg+xml",
  png: "image/png"
}

const pagePolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** In the sources and in the build. */
const places = ["src/channels/web/page", "dist/page"]

const read = (): ReadonlyMap<string, PageFile> => {
  const directory = places.map(packageFile).find((path) => existsSync(join(path, "index.html")))
  if (directory === undefined) return new Map()
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" })
  return new Map(
    names.flatMap((name) => {
      const type = types[/\.([a-z]+)$/.exec(name)?.[1] ?? ""]
      const plain = name.replaceAll("\\", "/")
      if (type === undefined || !/^(?:[\w-]+\/)?[\w.-]+$/.test(plain)) return []
      return [[plain, { bytes: new Uint8Array(readFileSync(join(directory, name))), type }] as const]
    })
  )
}

let files: ReadonlyMap<string, PageFile> | undefined

/** Returns undefined if it is not a file of the page. `name` is relative to the page; empty for the page itself. */
export const pageFile = (name: string): Response | undefined => {
  files ??= read()
  const requested = name === "" ? "index.html" : name
  const file = files.get(requested)
  if (file === undefined)
    return requested === "favicon.ico" ? new Response(null, { status: 204, headers: usual }) : undefined
  const { bytes, type } = file
  const headers = { "content-security-policy": pagePolicy, "content-type": type, "cache-control": "no-cache" }
  return new Response(bytes, { headers: { ...usual, ...headers } })
}

export const pageNames = (): ReadonlySet<string> => {
  files ??= read()
  return new Set(files.keys())
}
