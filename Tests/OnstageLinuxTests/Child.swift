import CLinux
import Glibc

/// A shell script in a process of its own, told to go on by its standard input, heard by its standard output.
final class Child {
    let pid: Int32
    private let input: Int32
    private let output: Int32
    private var ended = false

    /// Runs `script` by /bin/sh with `arguments` as $1 … and returns when it has written its first line.
    init(_ script: String, _ arguments: String...) {
        var towards: [Int32] = [-1, -1]
        var back: [Int32] = [-1, -1]
        precondition(clinux_pipe(&towards, 0) == 0 && clinux_pipe(&back, 0) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, towards[0], 0)
        posix_spawn_file_actions_adddup2(&actions, back[1], 1)
        var words: [UnsafeMutablePointer<CChar>?] = (["sh", "-c", script, "sh"] + arguments).map { strdup($0) }
        words.append(nil)
        var pid: pid_t = 0
        let answer = posix_spawn(&pid, "/bin/sh", &actions, nil, words, environ)
        precondition(answer == 0, "posix_spawn: \(answer)")
        posix_spawn_file_actions_destroy(&actions)
        for word in words { free(word) }
        _ = clinux_close(towards[0])
        _ = clinux_close(back[1])
        self.pid = pid
        input = towards[1]
        output = back[0]
        _ = line()
    }

    /// The next line of its standard output, without the end; what there is at its end.
    func line() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while clinux_read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a line to its standard input.
    func tell(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = clinux_write(input, bytes, bytes.count)
    }

    /// Kills it and waits until it is gone.
    func kill() {
        guard !ended else { return }
        ended = true
        Glibc.kill(pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    deinit {
        kill()
        _ = clinux_close(input)
        _ = clinux_close(output)
    }
}
