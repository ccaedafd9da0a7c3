internal import CLinux
internal import Glibc

// A descriptor that the shell has closed would be given to the first file or socket that is opened, and be written to as
// if it were the terminal.
clinux_fill_standard_descriptors()
exit(Command.run(Array(CommandLine.arguments.dropFirst())))
