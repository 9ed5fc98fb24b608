/** Reports of made-up declarations: what is in them, in which order, and what changes nothing. */
import { assert, describe, it } from "vitest"
import { reportsOf } from "../../../tools/api/report.ts"

const reportOf = (files: Readonly<Record<string, string>>) =>
  reportsOf(new Map(Object.entries(files)), { door: "dist/door.d.ts" }).get("door") ?? ""

/** The blocks of the report: exported, and needed. */
const blocksOf = (files: Readonly<Record<string, string>>) =>
  [...reportOf(files).matchAll(/```ts\n([\s\S]*?)\n```/g)].map(([, block]) => block)

describe("a report", () => {
  it.each([
    [
      "is sorted by name and has no comments",
      {
        "dist/door.d.ts": `/** B. */
export declare const b: string;
export interface A {
    /** Its "name", not a // comment */
    readonly name: "// no comment";
}
`
      },
      ['export interface A {\n  readonly name: "// no comment";\n}\n\nexport const b: string']
    ],
    [
      "follows chains of re-exports",
      {
        "dist/door.d.ts": `export * from "./one.ts";\nexport { c as see } from "./one.ts";\n`,
        "dist/one.d.ts": `export { a, type B } from "./deep/two.js";\nimport { c } from "./deep/two.ts";\nexport { c };\n`,
        "dist/deep/two.d.ts":
          "export declare const a: 1;\nexport interface B {\n}\nexport declare const c: (c: string) => void;\nexport declare const d: 4;\n"
      },
      [
        "export interface B {\n}\n\nexport const a: 1\n\nexport const c: (c: string) => void\n\nexport const see: (c: string) => void"
      ]
    ],
    [
      "prefers an own name to that of export *",
      {
        "dist/door.d.ts": `export * from "./one.ts";\nexport declare const a: "own";\n`,
        "dist/one.d.ts": `export declare const a: "other";\n`
      },
      ['export const a: "own"']
    ],
    [
      "has namespaces with their members",
      {
        "dist/door.d.ts": `export * as Rules from "./rules.ts";\n`,
        "dist/rules.d.ts":
          "export declare const deny: () => Rule;\nexport interface Rule {\n    readonly is: true;\n}\n"
      },
      ["export namespace Rules {\n  interface Rule {\n    readonly is: true;\n  }\n  const deny: () => Rule\n}"]
    ],
    [
      "has what others need and no door exports",
      {
        "dist/door.d.ts": `import type { Options } from "./options.ts";\ndeclare const layer: (options: Options) => void;\nexport declare const Door: {\n    layer: typeof layer;\n};\nexport {};\n`,
        "dist/options.d.ts": `export interface Options {\n    readonly base: import("./base.ts").Base<string>;\n}\nexport interface Other {\n}\n`,
        "dist/base.d.ts": "export interface Base<A> {\n    readonly base: A;\n}\n"
      },
      [
        "export const Door: {\n  layer: typeof layer;\n}",
        "interface Base<A> {\n  readonly base: A;\n}\n\ninterface Options {\n  readonly base: Base<string>;\n}\n\nconst layer: (options: Options) => void"
      ]
    ],
    [
      "tells types alone from values",
      {
        "dist/door.d.ts": `export type { Both, Class } from "./one.ts";\n`,
        "dist/one.d.ts":
          "export interface Both {\n}\nexport declare const Both: Made;\nexport declare class Class {\n    #private;\n    private hidden;\n    readonly open: 1;\n}\n"
      },
      ["export interface Both {\n}\n\nexport type class Class {\n  readonly open: 1;\n}"]
    ],
    [
      "sorts unions, with a line for each member of long ones",
      {
        "dist/door.d.ts": `export type Word = "b" | "a";\nexport interface Of {\n    readonly few: undefined | string;\n    readonly many: readonly (null | "z" | {\n        readonly x: 1;\n    } | "y")[];\n}\n`
      },
      [
        'export interface Of {\n  readonly few: string | undefined;\n  readonly many: readonly (\n    | "y"\n    | "z"\n    | {\n      readonly x: 1;\n    }\n    | null\n  )[];\n}\n\nexport type Word =\n  | "a"\n  | "b"'
      ]
    ],
    [
      "has the fields of a Schema once, in the type of its name",
      {
        "dist/door.d.ts": `import { Schema } from "effect";\nexport interface Known {\n    readonly a: string;\n}\nexport declare const Known: Schema.Struct<{\n    readonly a: Schema.String;\n}>;\nexport declare const Own: Schema.Struct<{\n    readonly b: Schema.String;\n}>;\nexport type Own = typeof Own.Type;\n`
      },
      [
        "export interface Known {\n  readonly a: string;\n}\n\nexport const Known: Schema.Struct<…>\n\nexport const Own: Schema.Struct<{\n  readonly b: Schema.String;\n}>\n\nexport type Own = typeof Own.Type"
      ]
    ],
    [
      "keeps names of other packages",
      { "dist/door.d.ts": `export { Effect as E } from "effect";\nexport type * from "other";\n` },
      ['export type * from "other"\n\nexport { Effect as E } from "effect"']
    ]
  ])("%s", (_, files, expected) => {
    assert.deepStrictEqual(blocksOf(files), expected)
  })

  it("is the same whatever the comments, the files and the order of declarations are", () => {
    const one = { "dist/door.d.ts": "export interface A {\n    readonly a: B;\n}\ninterface B {\n}\nexport {};\n" }
    const other = {
      "dist/door.d.ts": `/** Moved. */\nexport type { A } from "./moved.ts";\n`,
      "dist/moved.d.ts": `import { B } from "./b.ts";\nexport interface A {\n    /** The B */\n    readonly a: B;\n}\n`,
      "dist/b.d.ts": "/** B. */\nexport interface B {\n}\n"
    }
    assert.strictEqual(reportOf(one), reportOf(other))
  })

  it("leaves out what another door exports", () => {
    const texts = new Map([
      ["dist/a.d.ts", `export interface Shared {\n}\n`],
      ["dist/b.d.ts", `import type { Shared } from "./a.ts";\nexport declare const b: Shared;\n`]
    ])
    const reports = reportsOf(texts, { a: "dist/a.d.ts", b: "dist/b.d.ts" })
    assert.notInclude(reports.get("b"), "interface Shared")
    assert.include(reportsOf(texts, { b: "dist/b.d.ts" }).get("b"), "interface Shared")
  })

  it("says that a file is missing, and that a name is", () => {
    assert.throws(() => reportOf({ "dist/door.d.ts": `export * from "./gone.ts";\n` }), /dist\/gone\.d\.ts/)
    assert.throws(() => reportOf({ "dist/door.d.ts": "export { gone };\n" }), /exports gone/)
  })
})
