; A lift takes passengers to their floors; conditional effects (when) under forall.
(define (domain elevator)
  (:requirements :strips :typing :conditional-effects)

  (:types floor passenger)

  (:predicates
    (lift-at ?f - floor)
    (next-up ?low ?high - floor)          ; high is the floor right above low
    (waits-at ?p - passenger ?f - floor)
    (wants ?p - passenger ?f - floor)
    (aboard ?p - passenger)
    (arrived ?p - passenger))

  (:action go-up
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (next-up ?from ?to))
    :effect (and (lift-at ?to) (not (lift-at ?from))))

  (:action go-down
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (next-up ?to ?from))
    :effect (and (lift-at ?to) (not (lift-at ?from))))

  ; all who wait here get in, and all who want to be here get out
  (:action open-doors
    :parameters (?f - floor)
    :precondition (lift-at ?f)
    :effect (forall (?p - passenger)
              (and
                (when (waits-at ?p ?f)
                      (and (aboard ?p) (not (waits-at ?p ?f))))
                (when (and (aboard ?p) (wants ?p ?f))
                      (and (arrived ?p) (not (aboard ?p))))))))
