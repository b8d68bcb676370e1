/** The program prints `value<tab>description` lines; `:files` and `:folders` ask for paths. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish'): string {
  return SCRIPTS[shell]
}

const BASH = `# bash completions of prolepsis: source <(prolepsis completions bash)
_prolepsis() {
  local current=\${COMP_WORDS[COMP_CWORD]} line value
  COMPREPLY=()
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    case $value in
      :files) compopt -o filenames 2>/dev/null; while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames 2>/dev/null; while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("$value") ;;
    esac
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _prolepsis prolepsis
`

const ZSH = `#compdef prolepsis
# zsh completions of prolepsis: save as _prolepsis in a folder of $fpath
_prolepsis() {
  local line value about
  local -a found
  for line in "\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    case $value in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *) found+=("\${value//:/\\\\:}:$about") ;;
    esac
  done
  (( \${#found} )) && _describe -V prolepsis found
}
if [ "$funcstack[1]" = "_prolepsis" ]; then
  _prolepsis "$@"
else
  compdef _prolepsis prolepsis
fi
`

const FISH = `# fish completions of prolepsis: save as prolepsis.fish in ~/.config/fish/completions
function __prolepsis_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] $current 2>/dev/null)
        set -l parts (string split -m 1 \\t -- $line)
        switch $parts[1]
            case :files
                __fish_complete_path $current
            case :folders
                __fish_complete_directories $current
            case '*'
                echo $line
        end
    end
end
complete -c prolepsis -f -a '(__prolepsis_complete)'
`

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const
