/** Functions in parentheses, which V8 compiles with their file, behave as before. */
import { assert, describe, it } from "vitest"
import { withEagerFunctions } from "../../tools/build/eagerFunctions.ts"

const all = (code: string) => withEagerFunctions(code, () => true)

describe("withEagerFunctions", () => {
  it.each([
    ["const f = (x) => x", "const f = ((x) => x)"],
    ["const f = async x => { await x }", "const f = (async x => { await x })"],
    ["const f = (x) => (y) => x + y", "const f = ((x) => ((y) => x + y))"],
    ["const f = (x) => y => ({ x, y })", "const f = ((x) => (y => ({ x, y })))"],
    ["export default (x) => x", "export default ((x) => x)"],
    ["const f = function* g() {}", "const f = (function* g() {})"],
    ["const f = async function() {}", "const f = (async function() {})"],
    ["f(2, (x) => x, () => {})", "f(2, ((x) => x), (() => {}))"],
    ["const a = { f: () => 1, g: function() {} }", "const a = { f: (() => 1), g: (function() {}) }"],
    ["class A { static f = () => 1 }", "class A { static f = (() => 1) }"],
    ["a ||= () => 1", "a ||= (() => 1)"]
  ])("puts parentheses around functions: %s", (code, expected) => {
    assert.strictEqual(all(code), expected)
  })

  it.each([
    "function f() {}",
    "export default function() {}",
    "async function* f() {}",
    "const a = { f() {}, async g() {}, *h() {}, get i() { return 1 }, set i(x) {}, ['j']() {}, function() {} }",
    "class A { constructor() {} f() {} static g() {} get h() { return 1 } static { a() } #i() {} }",
    "const a = 'é => \\\\' + `b => c` + /=>/.source"
  ])("leaves all else as it is: %s", (code) => {
    assert.strictEqual(all(code), code)
  })

  it("leaves functions as they are that are not called", () => {
    const code = "const f = () => 1\nconst g = () => 2\n"
    const from = code.lastIndexOf("()")
    assert.strictEqual(
      withEagerFunctions(code, (start) => start === from),
      "const f = () => 1\nconst g = (() => 2)\n"
    )
  })

  it("keeps a function's name", () => {
    const { name } = new Function(`${all("const f = () => 1")}; return f`)()
    assert.strictEqual(name, "f")
  })

  it("says what it cannot read", () => {
    assert.throws(() => all("const = 1"), /Unexpected/)
  })
})
