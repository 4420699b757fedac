; A lab robot with two arms carries test tubes between benches; STRIPS with typing.
(define (domain gripper-lab)
  (:requirements :strips :typing)

  (:types bench tube arm)

  (:predicates
    (robot-at ?b - bench)
    (path ?from ?to - bench)
    (tube-at ?t - tube ?b - bench)
    (free ?a - arm)
    (holds ?a - arm ?t - tube))

  (:action roll
    :parameters (?from ?to - bench)
    :precondition (and (robot-at ?from) (path ?from ?to))
    :effect (and (robot-at ?to) (not (robot-at ?from))))

  (:action grip
    :parameters (?t - tube ?a - arm ?b - bench)
    :precondition (and (robot-at ?b) (tube-at ?t ?b) (free ?a))
    :effect (and (holds ?a ?t) (not (tube-at ?t ?b)) (not (free ?a))))

  (:action release
    :parameters (?t - tube ?a - arm ?b - bench)
    :precondition (and (robot-at ?b) (holds ?a ?t))
    :effect (and (tube-at ?t ?b) (free ?a) (not (holds ?a ?t)))))
