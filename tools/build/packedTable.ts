/**
 * Packs the rows of the price table: as code they are 480 KB, packed 80 KB. They stay in their file, so that they are also in an
 * application's own bundle.
 */
import { isDeepStrictEqual } from "node:util"
import { brotliCompressSync, constants } from "node:zlib"
import type { Plugin } from "rolldown"
import { parseSync } from "rolldown/utils"

/** Shorter lists are code. */
const leastLength = 100_000

const pack = (text: string): string => {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  return brotliCompressSync(text, options).toString("base64")
}

/** @param isTable Whether the module with this path has the rows. */
export const packedTable = (isTable: (id: string) => boolean): Plugin => ({
  name: "packed-table",
  transform: (code, id) => {
    if (!isTable(id)) return null
    const declared = parseSync(id, code).program.body.flatMap((statement) =>
      statement.type === "VariableDeclaration" ? statement.declarations : []
    )
    const rows = declared.find(
      ({ init }) => init?.type === "ArrayExpression" && init.end - init.start > leastLength
    )?.init
    if (rows == null) throw new Error(`${id} has no long list of rows`)
    const value: unknown = new Function(`return ${code.slice(rows.start, rows.end)}`)()
    const json = JSON.stringify(value)
    if (!isDeepStrictEqual(JSON.parse(json), value)) throw new Error(`${id} has rows that are not JSON`)
    const unpacked = `JSON.parse(brotliDecompressSync(Buffer.from("${pack(json)}", "base64")).toString())`
    const from = 'import { Buffer } from "node:buffer"\nimport { brotliDecompressSync } from "node:zlib"\n'
    return `${from}${code.slice(0, rows.start)}${unpacked}${code.slice(rows.end)}`
  }
})
