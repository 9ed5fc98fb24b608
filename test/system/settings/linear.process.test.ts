/** The time for a settings text grows linearly with its size, whatever its content. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { merge, type Patch, withdraw } from "../../../src/system/settings/merge.ts"

const kibibyte = 1024
const [small, large] = [48 * kibibyte, 768 * kibibyte]

/** Up to the size, of pieces. */
const fill = (size: number, piece: (index: number) => string, separator = "") => {
  const pieces: Array<string> = []
  let length = 0
  for (let index = 0; length < size; index += 1) {
    const next = piece(index)
    pieces.push(next)
    length += next.length + separator.length
  }
  return pieces.join(separator)
}

const texts: Readonly<Record<string, (size: number) => string>> = {
  "with many members": (size) => `{"a":1,${fill(size, (index) => `"name ${index}": { "x": [${index}] }`, ",\n")}}`,
  "with many members in the section": (size) => `{"servers":{${fill(size, (index) => `"s${index}":{}`, ", ")}}}`,
  "with many members of one name": (size) => `{"servers":{${fill(size, () => '"mine 1":{}', ",")}}}`,
  "with many comments": (size) => `{${fill(size, (index) => `/* ${index} " */ // {\n`)} "servers": {}}`,
  "of comments that do not end": (size) => fill(size, () => "/*/"),
  "of strings that do not end": (size) => fill(size, () => '\\"'),
  "of quotes": (size) => fill(size, () => '"'),
  "nested deeply": (size) => `{"servers":{"mine 1":${"[".repeat(size / 2)}${"]".repeat(size / 2)}}}`,
  "of blanks": (size) => `{"servers":{${" ".repeat(size)}}}`
}

const patch: Patch = {
  servers: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`mine ${index}`, { a: 1 }]))
}

/** The lesser processor time of two: others use the machine as well, and now and then memory is tidied up. */
const cpuOf = (work: () => void) => {
  const times = [1, 2].map(() => {
    const before = process.cpuUsage()
    work()
    return process.cpuUsage(before).user / 1000
  })
  return Math.min(...times)
}

describe("a settings text", () => {
  it.each(Object.entries(texts))("%s", (_, make) => {
    const go = (text: string) => {
      const merged = merge(text, [patch])
      withdraw(
        Result.getOrElse(merged, () => text),
        text,
        [patch]
      )
    }
    const [few, many] = [make(small), make(large)]
    go(few)
    // The same size in all, in 16 texts and in one: in the square it would be 16 times the time.
    const sixteen = () => {
      for (let time = 0; time < 16; time += 1) go(few)
    }
    const [short, long] = [cpuOf(sixteen), cpuOf(() => go(many))]
    assert.isBelow(long, 8 * Math.max(short, 64), `${short} ms, then ${long} ms`)
  })

  it("is read once, however many members are put in and taken out", () => {
    const text = texts["with many members in the section"]?.(large) ?? ""
    const go = (entries: number) => {
      const own: Patch = { servers: Object.fromEntries(Object.entries(patch["servers"] ?? {}).slice(0, entries)) }
      const merged = Result.getOrThrow(merge(text, [own]))
      assert.strictEqual(Result.getOrThrow(withdraw(merged, text, [own])), text)
    }
    go(1)
    const [one, all] = [cpuOf(() => go(1)), cpuOf(() => go(100))]
    assert.isBelow(all, 10 * Math.max(one, 4), `${one} ms, then ${all} ms`)
  })
})
