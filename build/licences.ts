/** The packages of which something is in the bundle, with their licences, as one file beside it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Plugin } from "rolldown"

/** The folder of the package that a module is in; none for those of Reins. */
const packageOf = (module: string): string | undefined => {
  if (!module.includes("/node_modules/")) return undefined
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module) ?? []
  return folder
}

const textOf = (folder: string): string => {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${folder} has no text of its licence`)
  return readFileSync(join(folder, file), "utf8").trim()
}

const sectionOf = (folder: string): string => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return `${name} ${version} (${license})\n\n${textOf(folder)}\n`
}

const about = "The files beside this one contain parts of the following packages, without their comments."

/** Writes `file` once the bundle is known. */
export const licences = (file: string): Plugin => ({
  name: "licences",
  writeBundle: (_options, bundle) => {
    const chunks = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? [output] : []))
    const rendered = chunks.flatMap(({ modules }) =>
      Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []))
    )
    const folders = [...new Set(rendered.flatMap((id) => packageOf(id) ?? []))].sort()
    if (!existsSync(dirname(file))) throw new Error(`${dirname(file)} is not built`)
    writeFileSync(file, [about, ...folders.map(sectionOf)].join(`\n\n${"-".repeat(80)}\n\n`))
  }
})
