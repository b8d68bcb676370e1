const GRAMMARS: Readonly<Record<string, string>> = {
  typescript: 'typescript',
  tsx: 'tsx',
  javascript: 'javascript',
  jsx: 'javascript',
  python: 'python',
  go: 'go',
  rust: 'rust',
  java: 'java',
  c: 'c',
  cpp: 'cpp',
  csharp: 'csharp',
  ruby: 'ruby',
  php: 'php',
  bash: 'bash',
  css: 'css',
  lua: 'lua',
}

const EXTENSIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    typescript: 'ts mts cts',
    tsx: 'tsx',
    javascript: 'js mjs cjs',
    jsx: 'jsx',
    python: 'py pyi pyw',
    go: 'go',
    rust: 'rs',
    java: 'java',
    c: 'c',
    cpp: 'cc cpp cxx c++ h hh hpp hxx ipp inl',
    csharp: 'cs csx',
    ruby: 'rb rake gemspec',
    php: 'php phtml php5',
    bash: 'sh bash zsh ksh',
    css: 'css',
    lua: 'lua',
    // Without a grammar: cut at blank lines.
    scss: 'scss sass less',
    kotlin: 'kt kts',
    swift: 'swift',
    scala: 'scala sc',
    sql: 'sql',
    r: 'r',
    perl: 'pl pm',
    dart: 'dart',
    elixir: 'ex exs',
    erlang: 'erl hrl',
    haskell: 'hs',
    ocaml: 'ml mli',
    clojure: 'clj cljs cljc edn',
    julia: 'jl',
    fsharp: 'fs fsx',
    vb: 'vb',
    groovy: 'groovy gradle',
    powershell: 'ps1 psm1',
    fish: 'fish',
    zig: 'zig',
    nim: 'nim',
    solidity: 'sol',
    objectivec: 'm mm',
    protobuf: 'proto',
    graphql: 'graphql gql',
    terraform: 'tf hcl tfvars',
    vue: 'vue',
    svelte: 'svelte',
    astro: 'astro',
    xml: 'xml xsd xsl xslt plist',
    makefile: 'mk',
    cmake: 'cmake',
    ini: 'ini cfg conf properties editorconfig',
    batch: 'bat cmd',
    assembly: 's asm',
    nix: 'nix',
    diff: 'diff patch',
  }).flatMap(([language, extensions]) => extensions.split(' ').map((extension) => [extension, language])),
)

const FILE_NAMES: Readonly<Record<string, string>> = {
  makefile: 'makefile',
  gnumakefile: 'makefile',
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  'cmakelists.txt': 'cmake',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  jenkinsfile: 'groovy',
  justfile: 'makefile',
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  dash: 'bash',
  node: 'javascript',
  deno: 'typescript',
  bun: 'typescript',
  tsx: 'typescript',
  python: 'python',
  python2: 'python',
  python3: 'python',
  ruby: 'ruby',
  php: 'php',
  lua: 'lua',
  perl: 'perl',
}

/** By the lower-case name of a file and its extension without the dot; null when neither is known. */
export function codeLanguageOfFile(fileName: string, extension: string): string | null {
  return FILE_NAMES[fileName] ?? EXTENSIONS[extension] ?? null
}

/** By a `#!` line; null when there is none or its interpreter is not known. */
export function codeLanguageOfShebang(text: string): string | null {
  const line = /^\uFEFF?#![^\n]{0,200}/.exec(text)?.[0]
  if (line === undefined) return null
  for (const part of line.slice(2).trim().split(/\s+/)) {
    const language = INTERPRETERS[part.split('/').pop() ?? '']
    if (language !== undefined) return language
  }
  return null
}

/** Name of the grammar's file without `.wasm`, or null. */
export function grammarOf(language: string): string | null {
  return Object.hasOwn(GRAMMARS, language) ? (GRAMMARS[language] ?? null) : null
}
