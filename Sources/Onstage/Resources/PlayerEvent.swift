public import OnstageCore

/// What a player is doing.
///
/// In Media3's words: `idle` is STATE_IDLE, `opening` and `buffering` STATE_BUFFERING, `playing` STATE_READY with isPlaying, `paused`
/// STATE_READY without it (`playWhenReady` is false, or playback is suppressed), `ended` STATE_ENDED, `failed` STATE_IDLE with
/// a player error.
@nonexhaustive
public enum PlayerState: Hashable, Sendable {
    /// Bound to no scene, or stopped (``Player/stop()``).
    case idle
    /// It is to play, and its device is being opened or, with the error that says for what, waited for.
    case opening(waitingFor: DeviceError?)
    /// Its device is open and silent: its media has not come (a pipe that stands, a slow disk).
    case buffering
    /// It is heard.
    case playing
    /// It holds no device, or is giving it back; not empty.
    case paused(PauseReasons)
    /// The last frame was heard; it plays no more until ``Player/play()`` or a seek; until a seek where it is to stay at its
    /// end (``Player/Options/atEnd``).
    case ended
    /// What is the matter will not go away by waiting.
    case failed(DeviceError)
}

/// Something that happened to a player, or a look at where it is; see ``Player/onEvent(positionEvery:_:)``.
@nonexhaustive
public enum PlayerEvent: Hashable, Sendable {
    case state(PlayerState)
    /// The source frame that is heard next: when it is bound, when its kept position has been read, at the chosen interval
    /// while it plays, after each seek, and where it stands when a pause is through.
    case position(Int64)
    /// The last frame of the media was heard: not only read, and not only written to the device.
    case ended
    /// ``Player/playWhenReady`` is another one, and why.
    case playWhenReady(Bool, PlayWhenReadyReason)
    /// Who has the sound has changed (``Player/Options/focus``).
    case focus(FocusChange)
    /// A fault that was mended while it played on (an XRUN, a system sleep).
    case recovered(DeviceError)
    /// A pause has been answered: the device is given back.
    case released(ReleaseReceipt)
    /// This position is on the disk.
    case stored(position: Int64)
    /// Something worth knowing that changes nothing ("a rate converter stands between 44100 Hz and the device's 48000 Hz").
    case note(String)
}
